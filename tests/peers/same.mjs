// Has a `web` GLB decoded by gltfpack, which is not of this project, and compares what comes out with the `plain` GLB of the same export.
//   node same.mjs PACKAGES PLAIN WEB        PACKAGES is the folder with node_modules
// Nodes are compared by name: the triangles bit for bit where the file says that its lattice is exact; else their number (gltfpack leaves out
// those that rounding made nothing of), and each vertex of one within a step of a vertex of the other, both ways. One line; exit 1 if they differ.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [packages, plain, web] = process.argv.slice(2);
if (!web) {
    console.error('usage: same.mjs PACKAGES PLAIN WEB');
    process.exit(2);
}

function open(path) {
    const bytes = readFileSync(path);
    const length = bytes.readUInt32LE(12);
    return { json: JSON.parse(bytes.toString('utf8', 20, 20 + length)), bin: bytes.subarray(28 + length) };
}

const readers = {
    5121: [1, (bytes, at) => bytes.readUInt8(at)],
    5123: [2, (bytes, at) => bytes.readUInt16LE(at)],
    5125: [4, (bytes, at) => bytes.readUInt32LE(at)],
    5126: [4, (bytes, at) => bytes.readFloatLE(at)],
};

function numbers({ json, bin }, index, width) {
    const accessor = json.accessors[index];
    const view = json.bufferViews[accessor.bufferView];
    const [size, read] = readers[accessor.componentType];
    const start = (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
    const stride = view.byteStride ?? size * width;
    const all = [];
    for (let i = 0; i < accessor.count; i++)
        for (let k = 0; k < width; k++) all.push(read(bin, start + i * stride + k * size));
    return all;
}

// The triangles of each node by its name, 9 coordinates each, in 32-bit floats as a client computes them.
function tiles(glb) {
    const found = new Map();
    for (const node of glb.json.nodes) {
        if (node.mesh === undefined) continue;
        const [primitive] = glb.json.meshes[node.mesh].primitives;
        const local = numbers(glb, primitive.attributes.POSITION, 3);
        const at = local.map((value, i) =>
            Math.fround(Math.fround(value * (node.scale?.[i % 3] ?? 1)) + (node.translation?.[i % 3] ?? 0)));
        const indices = numbers(glb, primitive.indices, 1);
        const triangles = [];
        for (let i = 0; i < indices.length; i += 3)
            triangles.push([0, 1, 2].map((corner) => at.slice(3 * indices[i + corner], 3 * indices[i + corner] + 3)));
        found.set(node.name, { vertices: at, triangles });
    }
    return found;
}

// A triangle as text that begins with its least corner.
function name(triangle) {
    const corners = triangle.map((corner) => corner.join(' '));
    const least = corners.indexOf([...corners].sort()[0]);
    return [0, 1, 2].map((i) => corners[(least + i) % 3]).join(', ');
}

function exactFault(a, b) {
    const left = a.triangles.map(name).sort();
    const right = b.triangles.map(name).sort();
    const i = left.findIndex((triangle, k) => triangle !== right[k]);
    return left.length === right.length && i < 0 ? null : `${left.length} and ${right.length} triangles, first other: ${left[i]}`;
}

// Each vertex of one has one of the other within a step along each axis.
function nearFault(a, b, step) {
    const cell = (value) => Math.floor(value / step);
    const grid = new Map();
    for (let i = 0; i < b.vertices.length; i += 3) {
        const key = [0, 1, 2].map((k) => cell(b.vertices[i + k])).join(' ');
        grid.set(key, [...(grid.get(key) ?? []), i]);
    }
    const around = [-1, 0, 1].flatMap((x) => [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((z) => [x, y, z])));
    for (let i = 0; i < a.vertices.length; i += 3) {
        const isNear = (j) => [0, 1, 2].every((k) => Math.abs(a.vertices[i + k] - b.vertices[j + k]) <= step);
        const near = (offset) => grid.get([0, 1, 2].map((k) => cell(a.vertices[i + k]) + offset[k]).join(' ')) ?? [];
        if (!around.some((offset) => near(offset).some(isNear)))
            return `nothing within ${step} of (${a.vertices.slice(i, i + 3)})`;
    }
    return null;
}

function isFlat(triangle) {
    const corners = triangle.map((corner) => corner.join(' '));
    return new Set(corners).size < 3;
}

const scratch = mkdtempSync(join(tmpdir(), 'terrain-same-'));
let line = 'no node is the same';
let good = false;
try {
    const decoded = join(scratch, 'decoded.glb');
    const cli = join(packages, 'node_modules', 'gltfpack', 'cli.js');
    execFileSync(process.execPath, [cli, '-i', web, '-o', decoded, '-noq', '-kn'], { stdio: ['ignore', 'ignore', 'ignore'] });
    const { step, exact } = open(web).json.asset.extras;
    const expected = tiles(open(plain));
    const found = tiles(open(decoded));
    const faults = [];
    let count = 0;
    if (expected.size !== found.size) faults.push(`${expected.size} and ${found.size} nodes`);
    for (const [tile, a] of expected) {
        const b = found.get(tile) ?? { vertices: [], triangles: [] };
        const fault = exact ? exactFault(a, b) : (nearFault(a, b, step) ?? nearFault(b, a, step));
        if (fault) faults.push(`${tile}: ${fault}`);
        if (!exact && (b.triangles.length > a.triangles.length || b.triangles.some(isFlat)))
            faults.push(`${tile}: ${a.triangles.length} and ${b.triangles.length} triangles`);
        count += b.triangles.length;
    }
    good = count > 0 && faults.length === 0;
    line = good ? `${count} triangles, ${exact ? 'bit for bit' : `within ${step} m`}` : faults.slice(0, 5).join('; ');
} catch (error) {
    line = String(error.message ?? error).split('\n')[0];
} finally {
    rmSync(scratch, { recursive: true });
}
console.log(`${web}: gltfpack, decoded: ${line}: ${good ? 'ok' : 'not ok'}`);
process.exit(good ? 0 : 1);

// Damages an exported file in one named way, to see that the judges find it.
//   node damage.mjs KIND IN OUT
import { readFileSync, writeFileSync } from 'node:fs';

const STL_HEADER = 84;
const FACET = 50;

function stlFacet(bytes, index) {
    return bytes.subarray(STL_HEADER + FACET * index, STL_HEADER + FACET * (index + 1));
}

// The JSON chunk of a GLB changed by `change`, written back with its lengths.
function withJson(bytes, change) {
    const length = bytes.readUInt32LE(12);
    const json = JSON.parse(bytes.toString('utf8', 20, 20 + length));
    change(json);
    let text = JSON.stringify(json);
    text = text.padEnd(Math.ceil(text.length / 4) * 4);
    const head = Buffer.from(bytes.subarray(0, 20));
    head.writeUInt32LE(text.length, 12);
    head.writeUInt32LE(bytes.length - length + text.length, 8);
    return Buffer.concat([head, Buffer.from(text), bytes.subarray(20 + length)]);
}

const kinds = {
    'stl-hole'(bytes) {
        bytes.writeUInt32LE(bytes.readUInt32LE(80) - 1, 80);
        return bytes.subarray(0, bytes.length - FACET);
    },
    'stl-flipped-facet'(bytes) {
        const facet = stlFacet(bytes, 0);
        const second = Buffer.from(facet.subarray(24, 36));
        facet.copy(facet, 24, 36, 48);
        second.copy(facet, 36);
        return bytes;
    },
    'stl-inside-out'(bytes) {
        for (let i = 0; i < bytes.readUInt32LE(80); i++) {
            const facet = stlFacet(bytes, i);
            const second = Buffer.from(facet.subarray(24, 36));
            facet.copy(facet, 24, 36, 48);
            second.copy(facet, 36);
            for (let axis = 0; axis < 3; axis++) facet.writeFloatLE(-facet.readFloatLE(4 * axis), 4 * axis);
        }
        return bytes;
    },
    'stl-wrong-normal'(bytes) {
        for (let axis = 0; axis < 3; axis++) stlFacet(bytes, 0).writeFloatLE(axis === 0 ? 1 : 0, 4 * axis);
        return bytes;
    },
    'glb-wrong-bounds'(bytes) {
        return withJson(bytes, (json) => (json.accessors[0].min[1] -= 1));
    },
    'glb-index-out-of-range'(bytes) {
        return withJson(bytes, (json) => {
            json.accessors[0].count -= 1;
            json.accessors[1].count -= 1;
        });
    },
    'glb-normal-not-unit'(bytes) {
        const start = 28 + bytes.readUInt32LE(12);
        const json = JSON.parse(bytes.toString('utf8', 20, 20 + bytes.readUInt32LE(12)));
        bytes.writeFloatLE(2, start + json.bufferViews[1].byteOffset);
        return bytes;
    },
    'web-moved-tile'(bytes) {
        return withJson(bytes, (json) => (json.nodes[0].translation[1] += 2 * json.asset.extras.step));
    },
    'web-swapped-positions'(bytes) {
        return withJson(bytes, (json) => {
            const [a, b] = json.meshes.map((mesh) => json.bufferViews[mesh.primitives[0].attributes.POSITION].extensions.EXT_meshopt_compression);
            [a.byteOffset, b.byteOffset] = [b.byteOffset, a.byteOffset];
            [a.byteLength, b.byteLength] = [b.byteLength, a.byteLength];
        });
    },
    'glb-cut-short'(bytes) {
        return bytes.subarray(0, bytes.length - 4);
    },
};

const [kind, from, to] = process.argv.slice(2);
if (!to || !kinds[kind]) {
    console.error(`usage: damage.mjs KIND IN OUT, KIND one of ${Object.keys(kinds).join(' ')}`);
    process.exit(2);
}
writeFileSync(to, kinds[kind](readFileSync(from)));

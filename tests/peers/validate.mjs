// Judges GLB files by Khronos' glTF-Validator, which has no command line of its own.
//   node validate.mjs PACKAGES FILE...        PACKAGES is the folder with node_modules
// One line a file; exit 1 if any has an error or a warning. Infos are counted and do not matter.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const [packages, ...files] = process.argv.slice(2);
if (!packages || files.length === 0) {
    console.error('usage: validate.mjs PACKAGES FILE...');
    process.exit(2);
}
const validator = createRequire(resolve(packages, 'package.json'))('gltf-validator');

let failed = false;
for (const file of files) {
    let line;
    let good = false;
    let messages = [];
    try {
        const report = await validator.validateBytes(new Uint8Array(readFileSync(file)), { maxIssues: 20 });
        const { numErrors, numWarnings, numInfos } = report.issues;
        good = numErrors === 0 && numWarnings === 0 && report.mimeType === 'model/gltf-binary';
        line = `${numErrors} errors, ${numWarnings} warnings, ${numInfos} infos, ${report.info?.totalTriangleCount ?? 0} triangles`;
        messages = report.issues.messages.filter((message) => message.severity < 2);
    } catch (error) {
        line = String(error.message ?? error).split('\n')[0];
    }
    console.log(`${file}: gltf-validator: ${line}: ${good ? 'ok' : 'not ok'}`);
    for (const { code, message, pointer, offset } of messages)
        console.log(`    ${code} at ${pointer ?? `byte ${offset}`}: ${message}`);
    failed ||= !good;
}
process.exit(failed ? 1 : 0);

// Loaded with `--import` before anything else, because an old Node dies on a `.ts` entry without a word a newcomer could
// use. Plain old JavaScript throughout: a Node that cannot parse this file cannot print its message.
import { readFileSync, writeSync } from 'node:fs';

/** sysexits.h: the set-up is at fault, not the program. The same code as for a bad configuration. */
const EX_CONFIG = 78;

// `engines` is the one place that says which Node fits, so a newer major is allowed as soon as its upper bound is raised,
// and refused until then: the store uses Node's own SQLite and is untested on a major that `engines` leaves out.
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const wanted = manifest.engines.node;
const found = process.versions.node;

/** The bound after `sign` as one number, 24.11 as 24011. Without such a bound it is NaN, which no version is under or over. */
function bound(sign) {
  const match = new RegExp(`${sign}\\s*(\\d+)(?:\\.(\\d+))?`).exec(wanted) || [];
  return Number(match[1]) * 1000 + Number(match[2] || 0);
}

const { platform, arch } = process;
const [major, minor] = found.split('.').map(Number);
const version = major * 1000 + minor;
const floor = bound('>=');

if (version < floor || version >= bound('<')) {
  const install = `install Node ${Math.floor(floor / 1000)}`;
  const isProvided = `node-${platform === 'win32' ? 'win' : platform}-${arch}` in (manifest.optionalDependencies || {});
  const system = platform === 'darwin' ? 'macOS' : `${platform} ${arch}`;
  const remedy = isProvided
    ? `Run \`npm ci\` without \`--omit=optional\` to get a matching Node, or ${install}.`
    : `On ${system} npm cannot provide it, so ${install} yourself, for example from https://nodejs.org.`;
  writeSync(2, `Atelier needs Node ${wanted}, but this is Node ${found}. ${remedy}\n`);
  process.exit(EX_CONFIG);
}

// What sharp lacks shows only at the first image, in a process of its own.
const lacks = (build) => {
  try {
    return !import.meta.resolve(`@img/sharp-${build}/package`);
  } catch {
    return true;
  }
};
if (
  'sharp' in (manifest.dependencies || {}) &&
  [`${platform}-${arch}`, `${platform}musl-${arch}`, `${platform}-wasm32`].every(lacks)
) {
  writeSync(
    2,
    `Images need @img/sharp-${platform}-${arch}, which is missing. Run \`npm ci\` without \`--omit=optional\`.\n`,
  );
  process.exit(EX_CONFIG);
}

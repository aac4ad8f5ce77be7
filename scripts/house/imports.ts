import { posix } from 'node:path';
import { parseSync } from 'oxc-parser';

/** The layers of `src`, from the top down. A file imports from its own layer and from those below it. */
const LAYERS = 'index.ts app.ts roles monitoring commands messages discord config services locales lib'.split(' ');
/** The domains of `src/services`, from the bottom up. A file imports from its own domain and from those before it. */
export const DOMAINS = 'gateway media tasks money safety orders conversations store cluster operations'.split(' ');

/** By the reason: files that match the first pattern may not import what matches the second, a path from the project's folder or a package. */
const rules: Readonly<Record<string, readonly [importer: RegExp, imported: RegExp]>> = {
  'src never imports the sandbox, the tests, the benchmarks or the scripts.': [
    /^src\//,
    /^(?:sandbox|test|bench|scripts)\//,
  ],
  'Only the start reads the configuration; pass the values on.': [
    /^src\/(?:monitoring|commands|messages|discord|services|locales|lib)\//,
    /^src\/config/,
  ],
  'Only views and the funnel read sentences.': [/^src\/(?:services|monitoring|config)/, /^src\/locales\//],
  'Monitoring listens to services and Discord alone.': [/^src\/monitoring\//, /^src\/(?:commands|messages)\//],
  'Only src/discord knows discord.js.': [
    /^src\/(?:config|monitoring|commands|messages|services|locales|lib)/,
    /^(?:discord\.js$|@discordjs\/|discord-api-types)/,
  ],
  'Only src/discord/outbox writes to Discord; reads.ts is the way to read from it.': [
    /^src\/(?!discord\/(?:outbox\/|reads\.ts|message-body\.ts))/,
    /^@discordjs\/rest/,
  ],
  'discord.js takes as long to load as everything else: import @discordjs/ws, @discordjs/rest and discord-api-types.': [
    /^src\//,
    /^discord\.js$/,
  ],
  'The embedded sides are written from the documents, not from the code that they test.': [
    /^sandbox\//,
    /^(?:src\/(?:services|config)|test\/|bench\/)/,
  ],
  'The embedded Discord can be used without the bot: it imports nothing of it.': [
    /^sandbox\/(?:discord\/|(?!start\.ts)[^/]+$)/,
    /^(?:src|scripts|sandbox\/(?:gateway|web))\//,
  ],
  'The embedded gateway can be used without the bot: it imports nothing of it.': [
    /^sandbox\/gateway\//,
    /^(?:src|scripts|sandbox\/(?:discord|web))\//,
  ],
};

/** What is wrong with the imports of a file. `path` is relative to the project's folder. */
export function importProblems(path: string, text: string): string[] {
  return importsIn(path, text).flatMap((imported) => {
    const message = problemOf(path, imported);
    return message === undefined ? [] : [`${path} imports ${imported}. ${message}`];
  });
}

/** The packages, and the paths of files, that a file imports. */
function importsIn(path: string, text: string): string[] {
  const { staticImports, staticExports, dynamicImports } = parseSync(path, text).module;
  const specifiers = [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])),
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
  ];
  return [...new Set(specifiers)].map((one) => (one.startsWith('.') ? posix.join(posix.dirname(path), one) : one));
}

function problemOf(importer: string, imported: string): string | undefined {
  const [message] = Object.entries(rules).find(([, [from, to]]) => from.test(importer) && to.test(imported)) ?? [];
  if (message !== undefined) return message;
  if (!importer.startsWith('src/') || !imported.startsWith('src/')) return undefined;
  if (levelOf(importer) > levelOf(imported)) return 'Imports point down only: see the layout in ARCHITECTURE.md.';
  const [layer, folder, ...inside] = imported.split('/').slice(1);
  const [ownLayer, ownFolder, ...ownInside] = importer.split('/').slice(1);
  if (layer === 'commands' && inside.length > 0 && ownInside.length > 0 && folder !== ownFolder)
    return inside[0] === 'request.ts' ? undefined : 'A feature imports only the request.ts of another one.';
  if (layer !== 'services' || (ownLayer === 'services' && folder === ownFolder)) return undefined;
  if (inside.length > 1) return 'The files in the folder of a domain are its door; its subfolders are private.';
  if (ownLayer === 'services' && DOMAINS.indexOf(ownFolder ?? '') < DOMAINS.indexOf(folder ?? ''))
    return 'A domain imports only those below it: see the order of domains in ARCHITECTURE.md.';
  return undefined;
}

const levelOf = (path: string): number => LAYERS.findIndex((layer) => path.startsWith(`src/${layer}`));

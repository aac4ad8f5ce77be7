import { posix } from 'node:path';
import { parseSync } from 'oxc-parser';

/** A file with more exports is a collection, which is named after its subject. */
const MAX_EXPORTS_OF_ONE_CONCEPT = 3;
/** Programs and the lists of folders have no main export. */
const NAMED_BY_PLACE = /(?:^|\/)(?:index|main|[\w-]+\.worker)\.ts$/;
/** Each feature has its sentences under the same name. */
const SENTENCES = /^src\/commands\/[^/]+\/text\.ts$/;

/** What is wrong with the exported names of all files of `src`, given as texts by their paths. */
export function nameProblems(files: ReadonlyMap<string, string>): string[] {
  const exporters = new Map<string, string>();
  return [...files].flatMap(([path, text]) => {
    const entries = parseSync(path, text).module.staticExports.flatMap((statement) => statement.entries);
    const names = [...new Set(entries.flatMap(({ exportName }) => exportName.name ?? []))];
    const reexports = entries.filter(({ moduleRequest }) => moduleRequest !== null);
    const problems = reexports.map(
      ({ exportName, moduleRequest }) =>
        `${path} exports ${exportName.name ?? '*'} of ${moduleRequest?.value}. Import names from where they are declared.`,
    );
    if (!isNamedAfterExport(path, names))
      problems.push(`${path} exports only ${names.join(', ')}. A file is named after what it mainly exports.`);
    for (const name of SENTENCES.test(path) ? [] : names) {
      const first = exporters.get(name);
      if (first === undefined) exporters.set(name, path);
      else problems.push(`${path} exports ${name}, and so does ${first}. One name, one meaning.`);
    }
    return problems;
  });
}

/** Whether one of the names contains the words of the file's name. The feature of a command is named after its folder. */
function isNamedAfterExport(path: string, names: readonly string[]): boolean {
  if (NAMED_BY_PLACE.test(path) || names.length > MAX_EXPORTS_OF_ONE_CONCEPT) return true;
  const fileName = posix.basename(path, '.ts');
  const wanted = wordsOf(fileName === 'feature' ? posix.basename(posix.dirname(path)) : fileName);
  return names.some((name) => wordsOf(name).includes(wanted));
}

/** The words of a name between spaces, in the singular: ` fair queue ` for `fairQueues` and `fair-queue`. */
function wordsOf(name: string): string {
  const words = name.split(/[-._]|(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/);
  return ` ${words
    .map((word) =>
      word
        .toLowerCase()
        .replace(/ies$/, 'y')
        .replace(/(?<!s)s$/, ''),
    )
    .join(' ')} `;
}

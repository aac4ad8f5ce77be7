import { subjectProblem } from '../wording/check.ts';

/** Everything that decides whether a release can be made. */
export interface ReleaseState {
  /** The version in package.json. */
  version: string;
  changelog: string;
  /** The content of docs/upgrading.md. */
  upgrading: string;
  /** The database schema that this version writes. */
  schema: string;
  tags: readonly string[];
  /** The output of `git status --porcelain`. */
  status: string;
  /** The subjects of the commits since the last release; undefined if there was none. */
  subjects: readonly string[] | undefined;
}

/** A version, or a candidate for one. */
const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-rc\.(\d+))?$/;

/** The version to release: the newest one with a heading in the changelog. */
export function versionToRelease(changelog: string): string | undefined {
  return headings(changelog).find((heading) => VERSION.test(heading));
}

export const tagOf = (version: string): string => `v${version}`;

const isCandidate = (version: string): boolean => version.includes('-');

/** The reasons why there can be no release, one sentence each. */
export function problemsOf({ version, changelog, upgrading, schema, tags, status, subjects }: ReleaseState): string[] {
  const next = versionToRelease(changelog);
  if (next === undefined) return ['CHANGELOG.md has no version. Give its entries a heading such as "## 1.2.3".'];
  const problems: string[] = [];
  if (tags.includes(tagOf(next)))
    problems.push(
      `${next} is released already. Rename ${isCandidate(next) ? 'its heading' : '"## Unreleased"'} in CHANGELOG.md to the next version.`,
    );
  else if (headings(changelog)[0] !== next)
    problems.push(`CHANGELOG.md has changes above ${next}. Move them to the version that contains them.`);
  if (entryOf(changelog, next) === '') problems.push(`CHANGELOG.md says nothing about ${next}.`);
  if (compareVersions(next, version) < 0)
    problems.push(`package.json has ${version}, which is newer than ${next} in CHANGELOG.md.`);
  // What a candidate writes may still change before the release.
  if (!isCandidate(next) && !upgrading.includes(`| ${next} | ${schema} |`))
    problems.push(`docs/upgrading.md does not say that ${next} has schema ${schema}.`);
  if (status !== '') problems.push('The working tree has changes. Commit them first.');
  for (const subject of subjects ?? [])
    if (subjectProblem(subject)) problems.push(`The subject of a commit breaks the rules: ${subject}`);
  return problems;
}

const headings = (changelog: string): string[] =>
  [...changelog.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading.trim());

function entryOf(changelog: string, version: string): string {
  const [, section = ''] = changelog.split(`\n## ${version}\n`);
  return (section.split(/^## /m)[0] ?? '').trim();
}

/** A candidate comes before its release. */
function compareVersions(one: string, other: string): number {
  const numbers = (version: string): number[] =>
    (VERSION.exec(version) ?? []).slice(1).map((part) => Number(part ?? Number.MAX_SAFE_INTEGER));
  const [a, b] = [numbers(one), numbers(other)];
  return a.map((number, index) => number - (b[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

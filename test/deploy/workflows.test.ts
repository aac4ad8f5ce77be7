import { spawnSync } from 'node:child_process';
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import packageFile from '../../package.json' with { type: 'json' };

interface Step {
  name?: string;
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}

interface Job {
  'runs-on': string;
  permissions?: Record<string, string>;
  strategy?: { matrix: { include: { arch: string; runner: string }[] } };
  needs?: string;
  steps: Step[];
}

interface Workflow {
  on: Record<string, unknown>;
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
}

const files = globSync('.github/workflows/*.yml');
const { image, publish, ...otherJobs } = (parse(readFileSync('.github/workflows/release.yml', 'utf8')) as Workflow)
  .jobs;
const stepNamed = (job: Job | undefined, name: string): Step | undefined =>
  job?.steps.find((step) => step.name === name);

it.each(files)('Every action in %s is pinned to a commit, and a comment gives its version', (file) => {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /\buses:/.test(line));
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

it.each(files)('No job of %s may do more than read the repository, except for publishing images', (file) => {
  const { permissions, jobs } = parse(readFileSync(file, 'utf8')) as Workflow;
  expect(permissions).toEqual({ contents: 'read' });
  for (const [name, job] of Object.entries(jobs)) {
    const { contents = 'read', ...further } = job.permissions ?? {};
    expect([name, contents]).toEqual([name, 'read']);
    expect(further).toEqual(file.endsWith('release.yml') ? { packages: 'write' } : {});
  }
});

describe('release.yml', () => {
  it('A tag of a version starts the release, and nothing else does', () => {
    const { on } = parse(readFileSync('.github/workflows/release.yml', 'utf8')) as Workflow;
    expect(on).toEqual({ push: { tags: ['v*'] } });
    expect(otherJobs).toEqual({});
  });

  it('The image is built for amd64 and arm64, each on its own architecture, with an SBOM and its provenance', () => {
    expect(image?.strategy?.matrix.include).toEqual([
      { arch: 'amd64', runner: 'ubuntu-24.04' },
      { arch: 'arm64', runner: 'ubuntu-24.04-arm' },
    ]);
    expect(image?.['runs-on']).toBe(expression('matrix.runner'));
    expect(stepNamed(image, 'Build and push')).toMatchObject({
      uses: expect.stringMatching(/^docker\/build-push-action@/),
      with: {
        platforms: `linux/${expression('matrix.arch')}`,
        sbom: true,
        provenance: 'mode=max',
        outputs: expect.stringMatching(/\bpush-by-digest=true,.*\bpush=true$/),
      },
    });
    expect(publish?.needs).toBe('image');
  });

  it('A release is tagged with its version and as the latest, a candidate only with its version', () => {
    const tag = (version: string) =>
      runStep(stepNamed(publish, 'Tag the images of both architectures as one'), version);
    const digests = 'ghcr.io/some-owner/a-bot@sha256:a ghcr.io/some-owner/a-bot@sha256:b';
    expect(tag('v1.2.3').output).toBe(
      `docker buildx imagetools create --tag ghcr.io/some-owner/a-bot:1.2.3 --tag ghcr.io/some-owner/a-bot:latest ${digests}\n`,
    );
    expect(tag('v1.2.3-rc.1').output).toBe(
      `docker buildx imagetools create --tag ghcr.io/some-owner/a-bot:1.2.3-rc.1 ${digests}\n`,
    );
  });

  it('An image with a different version than its tag is not built', () => {
    const compare = (version: string) => runStep(stepNamed(image, 'Compare the tag with package.json'), version);
    expect(compare(`v${packageFile.version}`)).toEqual({ status: 0, output: '' });
    expect(compare('v98.7.6')).toEqual({ status: 1, output: expect.stringContaining('has a different version') });
  });
});

/** An expression that GitHub replaces. */
const expression = (text: string): string => `\${{ ${text} }}`;

/** Runs the script of a step as GitHub does, with a `docker` that only prints its arguments. */
function runStep(step: Step | undefined, version: string): { status: number | null; output: string } {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-step-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const docker = join(folder, 'docker');
  writeFileSync(docker, '#!/bin/sh\necho docker "$@"\n');
  chmodSync(docker, 0o755);
  const env = {
    PATH: `${folder}${delimiter}${process.env.PATH}`,
    GITHUB_REPOSITORY: 'Some-Owner/A-Bot',
    GITHUB_REF_NAME: version,
    AMD64: 'sha256:a',
    ARM64: 'sha256:b',
  };
  const script = step?.run ?? 'exit 99';
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-eo', 'pipefail', '-c', script], {
    env,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

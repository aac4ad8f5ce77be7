import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

import { createStoreFixture, keysIn, makeTask, settled, sql } from '../services/store/store-fixture.ts';
import { runScriptHere } from '../support/run-script-here.ts';
import { shippedArgs } from '../support/shipped.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs the shipped script as a separate process with only the store configured: it must not require tokens. */
const runDoctor = (store: string, ...args: string[]) => runDoctorWith({ STORE_URL: store }, ...args);

function runDoctorWith(settings: Record<string, string>, ...args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const entry = [...shippedArgs('scripts/doctor.ts'), ...args];
    const env = { PATH: process.env.PATH ?? '', ...settings };
    const child = execFile(process.execPath, entry, { cwd: root, env }, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr });
    });
  });
}

const doctorHere = (store: string, ...args: string[]) =>
  runScriptHere('scripts/doctor.ts', { args, settings: { STORE_URL: store } });

describe('npm run doctor', () => {
  it('npm run doctor finds problems, repairs them and then finds none, and reads the URL of the store from a setting or a file', async () => {
    const { file, open } = createStoreFixture();
    const store = await open();
    const task = settled(makeTask({ request: { prompt: 'what ann wrote' } }));
    await store.put(task);
    await store.close();
    sql(file, "INSERT INTO atelier SELECT key, value, 'live', NULL FROM atelier WHERE key = ?", task.id);
    sql(file, "INSERT INTO atelier (key, value, namespace) VALUES ('broken', 'what ann wrote', 'finished')");

    const dryRun = await runDoctor(`sqlite://${file}`, '--dry-run');
    expect(dryRun).toMatchObject({ code: 1 });
    expect(dryRun.output).toContain('tasks stored both as live and as finished: 1, not repaired');
    expect(keysIn(file, 'live')).toEqual([task.id]);

    const repair = await runDoctor(`sqlite://${file}`);
    expect(repair).toMatchObject({ code: 0 });
    expect(repair.output).toContain('tasks stored both as live and as finished: 1, repaired');
    expect(repair.output).toContain('Tasks: 1. Rows set aside so far: 1.\n  finished:broken\n');
    expect(keysIn(file, 'live')).toEqual([]);

    // This time, the URL of the store comes from a file.
    const folder = mkdtempSync(join(tmpdir(), 'atelier-secrets-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const urlFile = join(folder, 'store-url');
    writeFileSync(urlFile, `sqlite://${file}\n`);
    const secondDryRun = await runDoctorWith({ STORE_URL_FILE: urlFile }, '--dry-run');
    expect(secondDryRun).toMatchObject({ code: 0 });
    expect(secondDryRun.output).toContain('no problems found');
    expect(dryRun.output + repair.output + secondDryRun.output).not.toContain('what ann wrote');

    const conflict = await runDoctorWith({ STORE_URL_FILE: urlFile, STORE_URL: `sqlite://${file}` });
    const problem = 'STORE_URL_FILE and STORE_URL are both set: remove one of them';
    expect(conflict).toEqual({ code: 78, output: expect.stringContaining(problem) });
  });

  it('npm run doctor reports a running bot and changes nothing', { tags: ['breadth'] }, async () => {
    const { file, open } = createStoreFixture();
    await open();
    const { code, output } = await runDoctor(`sqlite://${file}`);
    expect(code).toBe(75);
    expect(output.trim().split('\n')).toEqual([expect.stringContaining(`using the store ${file}`)]);
  });

  it('npm run doctor does not mistake a missing or empty file for a healthy store', { tags: ['breadth'] }, async () => {
    const { file } = createStoreFixture();
    const refused = { code: 78, output: `There is no Atelier store in ${file}. Check STORE_URL.\n` };
    expect(await doctorHere(`sqlite://${file}`)).toEqual(refused);
    writeFileSync(file, '');
    expect(await doctorHere(`sqlite://${file}`)).toEqual(refused);
  });

  it('npm run doctor explains an invalid option, setting or file in one sentence', { tags: ['breadth'] }, async () => {
    const { file } = createStoreFixture();
    expect(await doctorHere('mysql://x', '--help')).toMatchObject({
      code: 0,
      output: expect.stringContaining('Usage: npm run doctor -- [--dry-run]'),
    });
    expect(await doctorHere('sqlite://x', '--dry')).toMatchObject({
      code: 64,
      output: expect.stringContaining('--dry-run'),
    });
    expect(await doctorHere('mysql://x')).toMatchObject({
      code: 78,
      output: expect.stringContaining('STORE_URL should be'),
    });
    expect(await doctorHere('redis://127.0.0.1:1')).toMatchObject({
      code: 75,
      output: expect.stringContaining('cannot be reached'),
    });
    writeFileSync(file, 'no database at all '.repeat(100));
    expect(await doctorHere(`sqlite://${file}`)).toMatchObject({
      code: 74,
      output: expect.stringContaining('not a database'),
    });
  });
});

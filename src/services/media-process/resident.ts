import { readFile } from 'node:fs/promises';

/** How much memory a process of this machine has now; undefined where the system does not tell, or the process has ended. */
export async function residentBytes(pid: number): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}

import { createHash } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Unlike the folder that TMPDIR names, it is the same in all shells. */
const FOLDER = '/tmp';
/** Only those who may use the sockets of this user can connect. */
const OWNER_ONLY = 0o077;
/** For a process that is suspended. */
const ANSWER_LIMIT_MS = 60_000;

/** The sockets of all processes with this purpose that were started in this folder begin with it. */
function prefixOf(purpose: string): string {
  const digest = createHash('sha256').update(`${process.cwd()}\n${purpose}`).digest('hex');
  return `atelier-${digest.slice(0, 16)}-`;
}

/** Answers other programs of this user on this machine. They send nothing; connecting is the request. */
export async function answerLocalRequests(purpose: string, answer: () => Promise<string>): Promise<void> {
  const path = join(FOLDER, `${prefixOf(purpose)}${process.pid}`);
  // Left by an earlier process with the same id.
  rmSync(path, { force: true });
  const server = createServer((socket) => {
    // The program may have been stopped meanwhile.
    socket.on('error', () => socket.destroy());
    socket.resume();
    void answer().then((given) => socket.end(given));
  });
  const opening = Promise.withResolvers<void>();
  server.once('error', opening.reject);
  const mask = process.umask(OWNER_ONLY);
  try {
    server.listen(path, opening.resolve);
  } finally {
    process.umask(mask);
  }
  await opening.promise;
  server.unref();
  process.once('exit', () => rmSync(path, { force: true }));
}

/** The answer of the first process that gives one; undefined if there is none. */
export async function sendLocalRequest(purpose: string): Promise<string | undefined> {
  const prefix = prefixOf(purpose);
  for (const name of readdirSync(FOLDER).filter((one) => one.startsWith(prefix))) {
    const path = join(FOLDER, name);
    // The folder belongs to all users.
    if (statSync(path, { throwIfNoEntry: false })?.uid !== process.getuid?.()) continue;
    const socket = connect(path).setTimeout(ANSWER_LIMIT_MS, () => socket.destroy());
    const given = await text(socket).catch(() => '');
    if (given !== '') return given;
  }
  return undefined;
}

import type { ChildProcess } from 'node:child_process';
import { messageFrom } from '../discord/child.ts';
import type { Commands } from './orders.ts';

/** Asks the process with the embedded servers. */
export async function request<Kind extends keyof Commands>(
  embeddedServers: ChildProcess,
  kind: Kind,
  input: Commands[Kind]['input'],
): Promise<Commands[Kind]['output']> {
  embeddedServers.send({ kind, input });
  return messageFrom<Commands[Kind]['output']>(embeddedServers);
}

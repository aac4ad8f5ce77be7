import { signal } from '@preact/signals';
import type { Act, Acted, FileSent, Modal } from '../../protocol.ts';
import { sentenceOf, tell } from './session.ts';
import { as, channelId } from './world.ts';

type Order = Act extends infer One ? (One extends Act ? Omit<One, 'as' | 'in'> : never) : never;

/** A command without a response so far, or that failed. */
export interface Pending {
  readonly id: number;
  readonly channel: string;
  readonly command: string;
  readonly at: number;
  readonly failure?: string;
}

export const pending = signal<readonly Pending[]>([]);
/** The open form. */
export const form = signal<Modal | undefined>(undefined);
/** The reasons of failed interactions, by message id. */
export const failures = signal<ReadonlyMap<string, string>>(new Map());
/** Buttons and selects that wait for a response, by message and custom id. */
export const pressed = signal<ReadonlySet<string>>(new Set());

export const pressKey = (message: string, control: string): string => `${message} ${control}`;

async function act(order: Order): Promise<Acted> {
  return await tell<Acted>('/api/act', { as: as.value, in: channelId.value, ...order });
}

function opened({ modal }: Acted): void {
  if (modal) form.value = modal;
}

let sent = 0;

/** Sends a command and shows it as pending until Discord has a response. */
async function sendCommand(command: string, order: Order): Promise<boolean> {
  sent += 1;
  const mine: Pending = { id: sent, channel: channelId.value ?? '', command, at: Date.now() };
  pending.value = [...pending.value, mine];
  try {
    opened(await act(order));
    removePending(mine.id);
    return true;
  } catch (error) {
    pending.value = pending.value.map((one) => (one.id === mine.id ? { ...one, failure: sentenceOf(error) } : one));
    return false;
  }
}

export const sendSlash = (name: string, options: Readonly<Record<string, string | number | boolean | FileSent>>) =>
  sendCommand(`/${name}`, { do: 'slash', name, options });
export const sendMenu = (name: string, target: { message: string } | { user: string }) =>
  sendCommand(name, { do: 'menu', name, ...target });

export function removePending(id: number): void {
  pending.value = pending.value.filter((one) => one.id !== id);
}

export async function complete(
  name: string,
  options: Readonly<Record<string, string | number | boolean>>,
  focused: string,
): Promise<NonNullable<Acted['choices']>> {
  return (await act({ do: 'complete', name, options, focused })).choices ?? [];
}

export const say = (content: string, files: readonly FileSent[]): Promise<Acted> => act({ do: 'say', content, files });

export const click = (message: string, button: string): Promise<void> =>
  press(message, button, { do: 'click', message, button });
export const choose = (message: string, select: string, values: readonly string[]): Promise<void> =>
  press(message, select, { do: 'choose', message, select, values });

async function press(message: string, control: string, order: Order): Promise<void> {
  const key = pressKey(message, control);
  if (pressed.value.has(key)) return;
  pressed.value = new Set([...pressed.value, key]);
  failures.value = new Map([...failures.value].filter(([id]) => id !== message));
  try {
    opened(await act(order));
  } catch (error) {
    failures.value = new Map([...failures.value, [message, sentenceOf(error)]]);
  } finally {
    pressed.value = pressed.value.difference(new Set([key]));
  }
}

export const fill = (
  interaction: string,
  values: Readonly<Record<string, string | boolean | readonly string[] | readonly FileSent[]>>,
): Promise<Acted> => act({ do: 'fill', interaction, values });

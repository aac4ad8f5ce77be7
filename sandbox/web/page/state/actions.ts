import { signal } from '@preact/signals';
import type { Action, ActionResult, EncodedFile, Modal } from '../../protocol.ts';
import { errorMessage, postJson } from './api.ts';
import { channelId, currentUser } from './world.ts';

type ActionInput = Action extends infer One ? (One extends Action ? Omit<One, 'as' | 'in'> : never) : never;

/** A command that has no response yet, or that failed. */
export interface PendingCommand {
  readonly id: number;
  /** The user who sent it: no one else sees it. */
  readonly as: string;
  readonly channel: string;
  readonly command: string;
  readonly at: number;
  readonly failure?: string;
}

export const pendingCommands = signal<readonly PendingCommand[]>([]);
/** The open form. */
export const form = signal<Modal | undefined>(undefined);
/** Why the latest use of a button or select failed. Only its user sees it, until they do something else. */
const failedUse = signal<{ message: string; as: string; reason: string } | undefined>(undefined);
export const failureAt = (message: string): string | undefined =>
  failedUse.value?.message === message && failedUse.value.as === currentUser.value ? failedUse.value.reason : undefined;
/** Buttons and selects that wait for a response, by message and custom id. */
export const waitingControls = signal<ReadonlySet<string>>(new Set());

export const controlKey = (message: string, control: string): string => `${message} ${control}`;

async function performAction(action: ActionInput): Promise<ActionResult> {
  return await postJson<ActionResult>('/api/act', { as: currentUser.value, in: channelId.value, ...action });
}

function showForm({ modal }: ActionResult): void {
  if (modal) form.value = modal;
}

let lastId = 0;

/** Sends a command and shows it as pending until Discord has a response. */
async function sendCommand(command: string, action: ActionInput): Promise<boolean> {
  lastId += 1;
  const as = currentUser.value;
  const entry: PendingCommand = { id: lastId, as, channel: channelId.value ?? '', command, at: Date.now() };
  failedUse.value = undefined;
  pendingCommands.value = [...pendingCommands.value.filter((one) => one.failure === undefined || one.as !== as), entry];
  try {
    showForm(await performAction(action));
    removePending(entry.id);
    return true;
  } catch (error) {
    pendingCommands.value = pendingCommands.value.map((one) =>
      one.id === entry.id ? { ...one, failure: errorMessage(error) } : one,
    );
    return false;
  }
}

export const sendSlash = (name: string, options: Readonly<Record<string, string | number | boolean | EncodedFile>>) =>
  sendCommand(`/${name}`, { do: 'slash', name, options });
export const sendMenu = (name: string, target: { message: string } | { user: string }) =>
  sendCommand(name, { do: 'menu', name, ...target });

export function removePending(id: number): void {
  pendingCommands.value = pendingCommands.value.filter((one) => one.id !== id);
}

export async function fetchCompletions(
  name: string,
  options: Readonly<Record<string, string | number | boolean>>,
  focused: string,
): Promise<NonNullable<ActionResult['choices']>> {
  return (await performAction({ do: 'complete', name, options, focused })).choices ?? [];
}

export const sendMessage = (content: string, files: readonly EncodedFile[]): Promise<ActionResult> =>
  performAction({ do: 'say', content, files });

export const sendReply = (message: string, content: string, ping: boolean, files: readonly EncodedFile[]) =>
  performAction({ do: 'reply', message, content, ping, files });
export const editMessage = (message: string, content: string) => performAction({ do: 'edit', message, content });
export const removeMessage = (message: string) => performAction({ do: 'remove', message });

export const clickButton = (message: string, button: string): Promise<void> =>
  activateControl(message, button, { do: 'click', message, button });
export const chooseValues = (message: string, select: string, values: readonly string[]): Promise<void> =>
  activateControl(message, select, { do: 'choose', message, select, values });

async function activateControl(message: string, control: string, action: ActionInput): Promise<void> {
  const key = controlKey(message, control);
  if (waitingControls.value.has(key)) return;
  waitingControls.value = new Set([...waitingControls.value, key]);
  failedUse.value = undefined;
  const as = currentUser.value;
  try {
    showForm(await performAction(action));
  } catch (error) {
    failedUse.value = { message, as, reason: errorMessage(error) };
  } finally {
    waitingControls.value = waitingControls.value.difference(new Set([key]));
  }
}

export const submitForm = (
  interaction: string,
  values: Readonly<Record<string, string | boolean | readonly string[] | readonly EncodedFile[]>>,
): Promise<ActionResult> => performAction({ do: 'fill', interaction, values });

import { judgeCallback } from './callback.ts';
import { judgeCommand, judgeCommands } from './command.ts';
import type { BodyFacts } from './facts.ts';
import { judgeMessage } from './message.ts';
import { judgeThread } from './thread.ts';
import { type Violation, withoutRepeats } from './violation.ts';

export type BodyKind =
  | 'callback'
  | 'webhook-message'
  | 'webhook-edit'
  | 'channel-message'
  | 'channel-edit'
  | 'thread'
  | 'thread-on-message'
  | 'thread-edit'
  | 'commands'
  | 'command';

const NO_FACTS: BodyFacts = { files: [] };

const JUDGES: Readonly<Record<BodyKind, (body: unknown, facts: BodyFacts) => Violation[]>> = {
  callback: judgeCallback,
  'webhook-message': (body, facts) => judgeMessage('webhook', body, facts),
  'webhook-edit': (body, facts) => judgeMessage('webhookEdit', body, facts),
  'channel-message': (body, facts) => judgeMessage('channel', body, facts),
  'channel-edit': (body, facts) => judgeMessage('channelEdit', body, facts),
  thread: judgeThread('start'),
  'thread-on-message': judgeThread('startOnMessage'),
  'thread-edit': judgeThread('edit'),
  commands: judgeCommands,
  command: judgeCommand,
};

/** All reasons why Discord would refuse this body; empty if Discord would accept it. */
export const judgeBody = (kind: BodyKind, body: unknown, facts: BodyFacts = NO_FACTS): Violation[] =>
  withoutRepeats(JUDGES[kind](body, facts));

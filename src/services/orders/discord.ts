import type { BudgetAlert } from '../money/alerts.ts';
import type { Removal } from '../safety/server-log.ts';
import type { MessagePlace, Task } from '../tasks/task.ts';
import type { ErasureOutcome, MessageRemoval } from './task-store.ts';

/** All that services need of Discord. */
export interface Discord {
  removeMessage(message: MessagePlace): Promise<Removal>;
  removeMessages(task: Task): Promise<MessageRemoval>;
  /** Notifies a member who has left the page. Returns false if it should be tried again later. */
  notifyErased(memberId: string, outcome: ErasureOutcome): Promise<boolean>;
  /** Returns the message in the server’s channel. */
  sendBudgetAlert(alert: BudgetAlert): Promise<MessagePlace | undefined>;
  /** Returns fresh URLs of files in Discord, by their old URLs. URLs that Discord does not refresh are missing. */
  refreshUrls(urls: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

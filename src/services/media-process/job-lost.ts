/** Why a job came to no end of its own. */
export type LossReason = 'memory' | 'time' | 'died' | 'busy' | 'closed';

const sentences: Readonly<Record<LossReason, string>> = {
  memory: 'The job took more memory than it may.',
  time: 'The job took more time than it may.',
  died: 'The job was the end of its process.',
  busy: 'Too many jobs are waiting already.',
  closed: 'The media process has been closed.',
};

/** Nothing is known of the result of a job, and it will not be tried again. */
export class JobLost extends Error {
  override readonly name = 'JobLost';
  readonly reason: LossReason;

  constructor(reason: LossReason) {
    super(sentences[reason]);
    this.reason = reason;
  }
}

import type { Job } from '../../protocol.ts';
import { duration } from '../markdown/time.ts';
import { now } from '../state/clock.ts';
import { gateway, jobs } from '../state/workbench.ts';
import { Fact } from './fact.tsx';
import { Sessions } from './sessions.tsx';

const WORDS: Readonly<Record<Job['state'], string>> = {
  'needs-input': 'waits for words',
  queued: 'queued',
  running: 'running',
  succeeded: 'done',
  failed: 'failed',
};

/** What the gateway has to do: live conversations, and jobs as they move. */
export function Work() {
  return (
    <>
      <Sessions />
      <Jobs />
    </>
  );
}

function Jobs() {
  const { jobsUnseen, kind } = gateway.value ?? {};
  if (jobsUnseen !== undefined) return <p class="bench-empty">{jobsUnseen}</p>;
  if (jobs.value.length === 0)
    return (
      <p class="bench-empty">
        No jobs yet. Order something with <code>/imagine</code>, and watch it here: its progress, and every time the bot
        asks about it.
        {kind === 'real' && ' With a real gateway its jobs stay behind its door.'}
      </p>
    );
  return (
    <ol class="jobs">
      {jobs.value.map((job) => (
        <JobCard key={job.id} job={job} />
      ))}
    </ol>
  );
}

function JobCard({ job }: { job: Job }) {
  const { id, kind, model, prompt, state, progress, reason, polls, submits, queries, createdAt, finishedAt } = job;
  return (
    <li class={`job ${state}`}>
      <p class="job-head">
        <b>{kind}</b>
        <span class={`state ${state}`}>{WORDS[state]}</span>
        <span class="job-time">{duration((finishedAt ?? now.value) - createdAt)}</span>
      </p>
      <p class="job-prompt" title={prompt}>
        {prompt || <i>no words</i>}
      </p>
      <div
        class="bar"
        role="progressbar"
        aria-label={`Progress of ${kind}`}
        aria-valuenow={progress}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <span style={{ width: `${progress}%` }} />
      </div>
      {reason !== undefined && <p class="objection">{reason}</p>}
      <dl class="facts">
        <Fact name="progress" value={`${progress} %`} />
        <Fact name="asked" value={`${polls}×`} />
        <Fact name="ordered" value={`${submits}×`} bad={submits > 1} />
        <Fact name="after its end" value={`${queries}×`} />
        <Fact name="model" value={model || '–'} />
        <Fact name="id" value={id} />
      </dl>
    </li>
  );
}

import type { Job } from '../../protocol.ts';
import { durationText } from '../markdown/time.ts';
import { now } from '../state/clock.ts';
import { gateway, jobs } from '../state/workbench.ts';
import { Fact } from './fact.tsx';
import { Sessions } from './sessions.tsx';

const STATE_LABELS: Readonly<Record<Job['state'], string>> = {
  'needs-input': 'needs input',
  queued: 'queued',
  running: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
};

export function JobsPanel() {
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
        No jobs yet. Run <code>/imagine</code> to see a job here, with its progress and the number of times the bot
        polls it.
        {kind === 'real' && ' The jobs of a real gateway are not visible here.'}
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
  const {
    id,
    kind,
    model,
    prompt,
    state,
    progress,
    reason,
    polls,
    submits,
    queries,
    callbacks,
    createdAt,
    finishedAt,
  } = job;
  return (
    <li class={`job ${state}`}>
      <p class="job-head">
        <b>{kind}</b>
        <span class={`state ${state}`}>{STATE_LABELS[state]}</span>
        <span class="job-time">{durationText((finishedAt ?? now.value) - createdAt)}</span>
      </p>
      <p class="job-prompt" title={prompt}>
        {prompt || <i>no prompt</i>}
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
        <Fact name="progress" value={`${progress}%`} />
        <Fact name="polls" value={`${polls}×`} />
        <Fact name="submits" value={`${submits}×`} bad={submits > 1} />
        <Fact name="late polls" value={`${queries}×`} />
        <Fact name="callbacks" value={`${callbacks}×`} />
        <Fact name="model" value={model || '–'} />
        <Fact name="id" value={id} />
      </dl>
    </li>
  );
}

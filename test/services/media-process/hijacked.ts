import { Socket } from 'node:net';
import { FrameReader, writeFrame } from '../../../src/services/media-process/frames.ts';

// A media process that was taken over: it keeps its jobs for ever.
const pipe = new Socket({ fd: 3 });
const heldJobs: number[] = [];
const claim = (id: number): void => {
  writeFrame(pipe, { id, now: 'waiting' });
  writeFrame(pipe, { id, now: 'working' });
};

const reader = new FrameReader(Number.POSITIVE_INFINITY, ({ metadata }) => {
  const { id, job } = JSON.parse(metadata);
  if (job.do === 'drawn-mask') setInterval(() => claim(id), 1);
  // Claims memory again with every other job.
  else if (job.do === 'measure') heldJobs.push(id);
  // Only waits.
  else if (job.do === 'check') writeFrame(pipe, { id, now: 'waiting' });
  else {
    for (const held of heldJobs) claim(held);
    writeFrame(pipe, { id, facts: {} });
  }
});
pipe.on('data', (chunk: Buffer) => reader.read(chunk));
for (const end of ['end', 'close', 'error']) pipe.on(end, () => process.kill(process.pid, 'SIGKILL'));

import { takeJobs } from './bench.ts';
import { pieceOf } from './piece.ts';
import type { SoundJob } from './sound.ts';
import { wavOf } from './wav.ts';

takeJobs((job: SoundJob) => ({ bytes: wavOf(pieceOf(job.prompt, job.seed, job.seconds)) }));

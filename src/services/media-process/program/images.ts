import { checkedPicture } from '../../media/pictures/clean.ts';
import { fitPicture } from '../../media/pictures/fit-picture.ts';
import { drawnMask, sideMask } from '../../media/pictures/mask.ts';
import { examined, Workbench } from '../../media/pictures/workbench.ts';
import type { Done, Job, Work } from '../jobs.ts';

type ImageJob = Extract<Job, { mostPixels: number }>;

export async function image(job: ImageJob, { bytes, claim }: Work): Promise<Done> {
  const bench = new Workbench(job.mostPixels, claim);
  switch (job.do) {
    case 'fit': {
      const fitted = await fitPicture(await examined(bytes, job.mostPixels), job.mostBytes, bench);
      if (fitted.how === 'none') return { facts: { how: fitted.how } };
      return { facts: { how: fitted.how, extension: fitted.type.extension }, ...unless(bytes, fitted.bytes) };
    }
    case 'check': {
      const checked = await checkedPicture(bytes, bench);
      return { facts: { extension: checked.type.extension }, ...unless(bytes, checked.bytes) };
    }
    case 'measure': {
      const { width, height, frames } = await examined(bytes, job.mostPixels);
      return { facts: { width, height, frames } };
    }
    case 'side-mask':
      return { facts: {}, body: await sideMask(job.side, job.size, bench) };
    case 'drawn-mask': {
      const mask = await drawnMask(bytes, bench);
      return mask.marks === 'a part' ? { facts: { marks: mask.marks }, body: mask.bytes } : { facts: mask };
    }
  }
}

/** An unchanged file is not sent back. */
const unless = (given: Buffer, made: Buffer): Partial<Done> => (made === given ? {} : { body: made });

import { checkImage } from '../../media/images/clean.ts';
import { fitImage, fitResult } from '../../media/images/fit.ts';
import { examineImage, ImageEditor } from '../../media/images/image-editor.ts';
import { likenessOf } from '../../media/images/likeness.ts';
import { createSideMask, readDrawnMask } from '../../media/images/mask.ts';
import type { Job, JobInput, JobOutput } from '../jobs.ts';

type ImageJob = Extract<Job, { maxPixels: number }>;

export async function runImageJob(job: ImageJob, { bytes, claim }: JobInput): Promise<JobOutput> {
  const bench = new ImageEditor(job.maxPixels, claim);
  switch (job.do) {
    case 'fit': {
      const { maxBytes, maxPixels, provenance } = job;
      const image = await examineImage(bytes, maxPixels);
      const fitted = await (provenance
        ? fitResult(image, maxBytes, bench, provenance)
        : fitImage(image, maxBytes, bench));
      if (fitted.how === 'none') return { facts: { how: fitted.how } };
      const { how, type, lostManifest = false } = fitted;
      return { facts: { how, extension: type.extension, lostManifest }, ...unless(bytes, fitted.bytes) };
    }
    case 'check': {
      const checked = await checkImage(bytes, bench);
      return { facts: { extension: checked.type.extension }, ...unless(bytes, checked.bytes) };
    }
    case 'measure': {
      const { width, height, frames } = await examineImage(bytes, job.maxPixels);
      return { facts: { width, height, frames } };
    }
    case 'likeness':
      return { facts: { likeness: await likenessOf(await examineImage(bytes, job.maxPixels), bench) } };
    case 'side-mask':
      return { facts: {}, body: await createSideMask(job.side, job.size, bench) };
    case 'drawn-mask': {
      const mask = await readDrawnMask(bytes, bench);
      return mask.marks === 'a part' ? { facts: { marks: mask.marks }, body: mask.bytes } : { facts: mask };
    }
  }
}

/** The body of the output; an unchanged file is not sent back. */
const unless = (given: Buffer, made: Buffer): Partial<JobOutput> => (made === given ? {} : { body: made });

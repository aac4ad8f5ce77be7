import { checkImage } from '../../images/clean.ts';
import { fitImage, fitResult } from '../../images/fit.ts';
import { examineImage, ImageEditor } from '../../images/image-editor.ts';
import { createSideMask, readDrawnMask } from '../../images/mask.ts';
import { perceptualHash } from '../../images/perceptual-hash.ts';
import type { Job, JobInput, JobOutput } from '../jobs.ts';

type ImageJob = Extract<Job, { maxPixels: number }>;

export async function runImageJob(job: ImageJob, { bytes, claim }: JobInput): Promise<JobOutput> {
  const editor = new ImageEditor(job.maxPixels, claim);
  switch (job.do) {
    case 'fit': {
      const { maxBytes, maxPixels, provenance } = job;
      const image = await examineImage(bytes, maxPixels);
      const fitted = await (provenance
        ? fitResult(image, maxBytes, editor, provenance)
        : fitImage(image, maxBytes, editor));
      if (fitted.how === 'none') return { facts: { how: fitted.how } };
      const { how, type, lostManifest = false } = fitted;
      return { facts: { how, extension: type.extension, lostManifest }, ...bodyIfChanged(bytes, fitted.bytes) };
    }
    case 'check': {
      const checked = await checkImage(bytes, editor);
      return { facts: { extension: checked.type.extension }, ...bodyIfChanged(bytes, checked.bytes) };
    }
    case 'measure': {
      const { width, height, frames } = await examineImage(bytes, job.maxPixels);
      return { facts: { width, height, frames } };
    }
    case 'likeness':
      return { facts: { likeness: await perceptualHash(await examineImage(bytes, job.maxPixels), editor) } };
    case 'side-mask':
      return { facts: {}, body: await createSideMask(job.side, job.size, editor) };
    case 'drawn-mask': {
      const mask = await readDrawnMask(bytes, editor);
      return mask.marks === 'a part' ? { facts: { marks: mask.marks }, body: mask.bytes } : { facts: mask };
    }
  }
}

/** Leaves out the body if the file is unchanged, because it need not be sent back. */
const bodyIfChanged = (input: Buffer, output: Buffer): Partial<JobOutput> => (output === input ? {} : { body: output });

import { amountOf } from '../decimal.ts';
import { extensionFor } from '../files.ts';
import { digitsId, modelFor } from '../intake.ts';
import type { Routes } from '../parts.ts';
import { recognised } from '../recognise.ts';
import { uploadRequest } from '../requests/imgx.ts';
import { read } from '../requests/read.ts';

/** Images that want an address of their own (wire facts, 1.1). */
export const imgxUploadRoutes: Routes = (server, parts) => {
  /** Answers with addresses at once, in both profiles: the specification has no words for it (wire facts, 1.1). */
  server.post('/imgx/submit/upload-discord-images', { config: { kind: 'upload' } }, async (request) => {
    const { base64Array, state, botType } = read(uploadRequest, request.body);
    const model = modelFor(parts, request.grant, 'imgx-7', ['imgx']);
    const files = await Promise.all(base64Array.map((source, at) => recognised(source, at)));
    const names = files.map((file, at) => `${at + 1}.${extensionFor(file.mime)}`);
    const job = parts.jobs.add({
      id: digitsId(parts),
      family: 'imgx',
      kind: 'upload',
      key: request.grant.key,
      model: model.id,
      prompt: '',
      seed: 0,
      charge: amountOf('0'),
      state: 'succeeded',
      details: {
        family: 'imgx',
        action: 'UPLOAD',
        yields: 'files',
        results: names.map((name) => ({ name, recipe: { make: 'copy' } })),
        sources: [],
        scenes: [],
        aspect: 1,
        uuid: parts.random.uuid(),
        botType,
        state,
      },
    });
    for (const [at, file] of files.entries()) parts.files.keep(job.id, names[at] ?? '', file);
    return {
      code: 1,
      description: 'Submit success',
      result: names.map((name) => parts.files.addressOf(job, name)),
      properties: {},
    };
  });
};

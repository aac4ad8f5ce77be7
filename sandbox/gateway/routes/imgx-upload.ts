import { modelFor, newNumericId } from '../accept-job.ts';
import { amountOf } from '../decimal.ts';
import { extensionFor } from '../files.ts';
import type { Routes } from '../parts.ts';
import { uploadRequest } from '../requests/imgx.ts';
import { parseRequest } from '../requests/parse.ts';
import { uploadedImage } from '../uploaded-image.ts';

/** Uploads images and returns their URLs. */
export const imgxUploadRoutes: Routes = (server, parts) => {
  /** Returns URLs immediately in both profiles, because the specification does not describe the response. */
  server.post('/imgx/submit/upload-discord-images', { config: { kind: 'upload' } }, async (request) => {
    const { base64Array, state, botType } = parseRequest(uploadRequest, request.body);
    const model = modelFor(parts, request.grant, 'imgx-7', ['imgx']);
    const files = await Promise.all(base64Array.map((source, index) => uploadedImage(source, index)));
    const names = files.map((file, index) => `${index + 1}.${extensionFor(file.mime)}`);
    const job = parts.jobs.add({
      id: newNumericId(parts),
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
    for (const [index, file] of files.entries()) parts.files.storeUpload(job.id, names[index] ?? '', file);
    return {
      code: 1,
      description: 'Submit success',
      result: names.map((name) => parts.files.urlOf(job, name)),
      properties: {},
    };
  });
};

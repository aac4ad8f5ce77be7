import { viewOf } from '../accept-job.ts';
import { invalid, unknownModel } from '../api-error.ts';
import { catalogue, type Model, modelNamed } from '../catalogue.ts';
import { type KeyGrant, mayUse } from '../keys.ts';
import type { Routes } from '../parts.ts';
import { missingModel, modelBody, modelList } from '../wire/models.ts';

const allowedModels = (grant: KeyGrant): readonly Model[] => catalogue.filter((model) => mayUse(grant, model.id));

/** The models that the key may use (specification, 4.8). */
export const modelRoutes: Routes = (server, parts) => {
  const list = (models: readonly Model[]) => {
    const view = viewOf(parts);
    // Stock gateways return status 200 even if the key may use no models.
    if (models.length === 0 && view.profile === 'stock')
      return { success: false, message: 'No model is available for this key.' };
    return modelList(models, view);
  };

  server.get('/v1/models', (request) => list(allowedModels(request.grant)));
  server.get('/v1beta/compat/models', (request) =>
    list(allowedModels(request.grant).filter((model) => model.isInCompatibleList)),
  );

  server.get('/v1/models/*', (request) => {
    const id = modelIdIn(request.url);
    const model = modelNamed(id);
    if (model && mayUse(request.grant, id)) return modelBody(model, viewOf(parts));
    if (parts.settings.profile === 'stock') return missingModel(id);
    throw unknownModel(id);
  });
};

/** The id is everything after the prefix, including slashes, encoded or not (specification, part 2). */
function modelIdIn(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  try {
    return decodeURIComponent(path.slice('/v1/models/'.length));
  } catch (error) {
    throw Object.assign(invalid('The model id in the path is not correctly encoded.'), { cause: error });
  }
}

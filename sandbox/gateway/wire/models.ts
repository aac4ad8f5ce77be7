import type { Model } from '../catalogue.ts';
import type { Body, View } from './view.ts';

/** Stock gateways return this constant, so it says nothing about a model's age. */
const STOCK_CREATED = 1_626_777_600;

/** The specification (part 2) gives a model four fields. */
export function modelBody(model: Model, view: View): Body {
  const commonFields = { id: model.id, object: 'model', owned_by: model.owner };
  if (view.profile === 'spec') return { ...commonFields, created: model.created };
  const extraFields = { permission: [], root: model.id, parent: null, supported_endpoint_types: model.endpoints };
  return { ...commonFields, created: STOCK_CREATED, ...extraFields };
}

export function modelList(models: readonly Model[], view: View): Body {
  const data = models.map((model) => modelBody(model, view));
  return view.profile === 'spec' ? { object: 'list', data } : { success: true, data };
}

/** Stock gateways return status 200 for an unknown model. */
export const missingModel = (id: string): Body => ({
  error: {
    message: `The model '${id}' does not exist`,
    type: 'invalid_request_error',
    param: 'model',
    code: 'model_not_found',
  },
});

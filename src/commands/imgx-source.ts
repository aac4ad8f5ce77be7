import type { Gateway } from '../services/gateway/index.ts';
import type { Source } from '../services/tasks/kind.ts';

/** The specification shows no limit; larger questions only make one failure hurt more tasks. */
const MOST_IN_LIST = 50;

/** The image-prompt family (4.3). Its list is not in the specification, so it is used only where the operator says that it is there. */
export function imgxSource(imgx: Gateway['imgx'], inLists: boolean): Source {
  return {
    name: 'imgx',
    // The scheduler asks again by itself.
    one: (remoteId) => imgx.get(remoteId, { attempts: 1 }),
    ...(inLists && { many: { most: MOST_IN_LIST, ask: (ids) => imgx.getMany(ids, { attempts: 1 }) } }),
  };
}

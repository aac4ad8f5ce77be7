import type { REST } from 'discord.js';

/**
 * Until Discord has named a route's bucket the library queues its requests under the name of the route, and from then on, beside those that
 * still wait there, under the name of the bucket. Two queues would use up one limit without knowing of each other: the old one goes on
 * under the new name.
 */
export function inOneQueue(rest: REST): REST {
  const { hashes, handlers } = rest;
  const set = hashes.set.bind(hashes);
  hashes.set = (route, bucket) => {
    const unnamed = `Global(${route}):`;
    if (!hashes.has(route))
      for (const [id, queue] of [...handlers]) {
        const named = `${bucket.value}:${id.slice(unnamed.length)}`;
        if (id.startsWith(unnamed) && !handlers.has(named)) handlers.set(named, queue);
      }
    set(route, bucket);
    return hashes;
  };
  return rest;
}

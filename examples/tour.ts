// A walk through every endpoint family, against the embedded gateway or any other:
//   npm run sandbox:gateway -- --speed 10        (in one terminal)
//   npx node examples/tour.ts                    (in another)

import { setTimeout as pause } from 'node:timers/promises';
import { terminalSafe } from '../src/lib/text.ts';
import { GatewayError } from '../src/services/gateway/errors.ts';
import { createGateway } from '../src/services/gateway/gateway.ts';
import { defaultSettings } from '../src/services/gateway/settings.ts';
import type { Snapshot } from '../src/services/gateway/snapshot.ts';

const { GATEWAY_BASE_URL = 'http://127.0.0.1:4010', GATEWAY_API_KEY = 'sk-sandbox' } = process.env;
const gateway = createGateway({ ...defaultSettings, baseUrl: GATEWAY_BASE_URL, apiKey: GATEWAY_API_KEY });

/** Polls at the intervals that the specification recommends for a short job; the bot's scheduler does this for many jobs. */
async function follow(what: string, ask: () => Promise<Snapshot>): Promise<Snapshot> {
  for (;;) {
    const snapshot = await ask();
    if (snapshot.state === 'succeeded' || snapshot.state === 'failed') {
      const [medium] = snapshot.media;
      console.log(
        `${what}: ${snapshot.state}`,
        terminalSafe(medium?.address ?? snapshot.text ?? snapshot.failure?.reason ?? ''),
      );
      return snapshot;
    }
    await pause(2_000);
  }
}

async function modelFor(ability: RegExp): Promise<string> {
  const model = (await gateway.models.list()).find(({ id, fields }) => ability.test(`${id} ${JSON.stringify(fields)}`));
  if (!model) throw new Error(`This key reaches no model for ${ability.source}.`);
  return model.id;
}

try {
  const models = await gateway.models.list();
  console.log(`models: ${models.length}, the first is ${terminalSafe(models[0]?.id ?? '')}`);
  console.log(`one model: owned by ${terminalSafe((await gateway.models.get(models[0]?.id ?? '')).ownedBy ?? '')}`);
  console.log(`compat models: ${(await gateway.models.listCompat()).length}`);

  const prompt = 'a lighthouse in a storm at dusk --ar 16:9';
  const { remoteId: gridId } = await gateway.imgx.imagine({ prompt });
  const grid = await follow('imagine', () => gateway.imgx.get(gridId));
  const upscale = grid.actions.find(({ label }) => label === 'U2');
  if (upscale) {
    const { remoteId } = await gateway.imgx.action({ taskId: gridId, customId: upscale.customId });
    await follow('U2', () => gateway.imgx.get(remoteId));
  }
  const { remoteId: draftId } = await gateway.imgx.shorten({ prompt: `${prompt}, dramatic, highly detailed` });
  await follow('shorten', () => gateway.imgx.get(draftId));

  const job = await gateway.imageJobs.create(
    { model: await modelFor(/image-generation|"image"/), prompt },
    { idempotencyKey: crypto.randomUUID() },
  );
  await follow('image job', () => gateway.imageJobs.get(job.remoteId));

  const film = await gateway.videos.create({ model: await modelFor(/video/), prompt, size: '640x360', duration: 3 });
  await follow('video', () => gateway.videos.get(film.remoteId));

  const song = await gateway.music.makeSong({ about: 'a lighthouse keeper' });
  await follow('music', () => gateway.music.get(song.remoteId));

  const today = new Date().toISOString().slice(0, 10);
  const usage = await gateway.usage.get({ start: today, end: today });
  console.log(`usage today: ${usage.total ?? 'no total'} in ${usage.rows.length} rows`);
  console.log(`fine-tune events: ${(await gateway.fineTunes.events('ft-sandbox-1')).length}`);
} catch (error) {
  if (!(error instanceof GatewayError)) throw error;
  console.error(`${error.kind}: ${terminalSafe(error.message)}`);
  process.exitCode = 1;
} finally {
  await gateway.close();
}

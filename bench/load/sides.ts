import { on } from 'node:events';
import sharp from 'sharp';
import { startDiscord } from '../../sandbox/discord/discord.ts';
import { startGateway } from '../../sandbox/gateway/gateway.ts';
import { createStudio, type Studio } from '../../sandbox/gateway/studio/index.ts';
import { features } from '../../src/commands/index.ts';
import { registrationOf } from '../../src/discord/registration.ts';
import { noLimits } from '../../test/support/no-limits.ts';
import type { LoadCommand, LoadServerInfo, LoadState } from './orders.ts';

/** The embedded servers in their own process. All results are the same image, because drawing is not measured. */

const API_KEY = 'sk-sandbox';
/** Half speed, so that all jobs are running when the first ones end. */
const GATEWAY_SPEED = 0.5;
const UNLIMITED = 1_000_000_000;
/** Noise cannot be compressed, so this is an image of two megabytes. */
const IMAGE_SIDE = 840;
const MIN_BYTES = 2_000_000;

const PREVIEW_SIDE = 64;

const [image, preview] = await Promise.all([noise(IMAGE_SIDE), noise(PREVIEW_SIDE)]);
if (image.bytes.length < MIN_BYTES) throw new Error(`The image has only ${image.bytes.length} bytes.`);
const drawGrid: Studio['drawGrid'] = async (_, { finished }) => (finished === undefined ? image : preview);
const studio = { ...createStudio(), drawGrid };
const gateway = await startGateway({ keys: [{ key: API_KEY }], seed: 1, speed: GATEWAY_SPEED, studio });
const discord = await startDiscord({ limits: { webhookPerToken: UNLIMITED, acknowledgeMs: 60_000 } });
await fetch(`${discord.apiUrl}/v10/applications/${discord.applicationId}/commands`, {
  method: 'PUT',
  headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
  body: JSON.stringify(features.map((feature) => registrationOf(feature, { userInstall: false }))),
});
/** The embedded Discord's request log drops its oldest entries, so the ids of requests with a result are kept here. */
const shownRequestIds = new Set<number>();
/** Makes each prompt different, because a repeated request would count as a duplicate. */
let orderCount = 0;

process.send?.({
  settings: {
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    GATEWAY_BASE_URL: gateway.url,
    GATEWAY_API_KEY: API_KEY,
    ...noLimits,
    GATEWAY_POLLS_PER_SECOND: '200',
  },
} satisfies LoadServerInfo);

for await (const [command] of on(process, 'message', { close: ['disconnect'] })) {
  const { jobs } = command as LoadCommand;
  if (jobs > 0) {
    const member = discord.as('member');
    for (let job = 0; job < jobs; job++) {
      orderCount += 1;
      const exchange = await member.slash('imagine', { prompt: `a fox, number ${orderCount}` });
      await exchange.acknowledged();
    }
  }
  process.send?.(currentState());
}
await Promise.all([discord.close(), gateway.close()]);
await studio.close();

function currentState(): LoadState {
  for (const { id, status, files } of discord.requests)
    if (status === 200 && files.some((file) => file.bytes >= MIN_BYTES)) shownRequestIds.add(id);
  const jobs = gateway.jobs.list();
  return {
    started: jobs.length,
    ended: jobs.filter(({ state }) => state === 'succeeded').length,
    shown: shownRequestIds.size,
  };
}

async function noise(side: number) {
  const size = { width: side, height: side };
  const grain = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const noiseImage = sharp({ create: { ...size, channels: 3, background: '#000', noise: grain } });
  return { bytes: await noiseImage.png().toBuffer(), mime: 'image/png', ...size } as const;
}

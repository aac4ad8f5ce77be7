import type { Message } from '../../../sandbox/discord/exchange.ts';
import type { EmbeddedGateway } from '../../../sandbox/gateway/gateway.ts';
import { textRequest } from '../../../sandbox/gateway/requests/text.ts';
import { answerTo } from '../../../sandbox/gateway/text/engine.ts';
import { labels } from '../quick.ts';

/** What the gateway was asked, oldest first. */
export const asks = ({ heard }: EmbeddedGateway): Record<string, unknown>[] =>
  heard.filter(({ path }) => path.endsWith('/responses')).map(({ body }) => body as Record<string, unknown>);

/** An answer that is over, one way or another. */
export const ended = (message: Message): boolean => labels(message).includes('Delete');

/** The words of the gateway's newest answer: it has no others for the same question. */
export function said(gateway: EmbeddedGateway): string {
  const { items } = answerTo(textRequest.parse(asks(gateway).at(-1)), true);
  return items.flatMap((item) => ('text' in item ? [item.text] : [])).join('');
}

/** Named, for the quick clock leaves a list of models no time to come. */
export const models = { DEFAULT_TEXT_MODEL: 'quill-5', DEFAULT_IMAGE_MODEL: 'lumen-image-1' };

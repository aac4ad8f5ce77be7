import type { Message } from '../../../sandbox/discord/exchange.ts';
import type { EmbeddedGateway } from '../../../sandbox/gateway/gateway.ts';
import { textRequest } from '../../../sandbox/gateway/requests/text.ts';
import { generateResponse } from '../../../sandbox/gateway/text/generate.ts';

/** The questions that the gateway received, oldest first. */
export const modelRequests = ({ requests }: EmbeddedGateway): Record<string, unknown>[] =>
  requests.filter(({ path }) => path.endsWith('/responses')).map(({ body }) => body as Record<string, unknown>);

/** Whether an answer has ended, in any way. A reply that answers nothing has a Delete button of another kind. */
export const hasEnded = (message: Message): boolean => JSON.stringify(message.components ?? []).includes('"delete.1.');

/** The text of the gateway's newest answer, regenerated: the gateway always gives the same answer to a question. */
export function latestAnswer(gateway: EmbeddedGateway): string {
  const { items } = generateResponse(textRequest.parse(modelRequests(gateway).at(-1)), true);
  return items.flatMap((item) => ('text' in item ? [item.text] : [])).join('');
}

/** The model is named explicitly, because on the accelerated clock the list of models would arrive too late. */
export const models = { DEFAULT_TEXT_MODEL: 'quill-5', DEFAULT_IMAGE_MODEL: 'lumen-image-1' };

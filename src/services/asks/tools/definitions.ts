import { z } from 'zod';
import type { Model } from '../../gateway/models.ts';
import type { TextTool } from '../../gateway/responses/request.ts';
import { kindOf, type ModelKind } from '../../models/kinds.ts';
import type { AskRequest } from '../request.ts';

/** As much as a member can write into the prompt of the same command. */
const LONGEST_PROMPT = 6_000;

const prompt = z.string().trim().min(1).max(LONGEST_PROMPT);
const model = z.string().trim().min(1).max(200).optional();

const made = z.object({ prompt, model });

/** What the model may do. Whatever makes something costs, and its member has to say yes to it first. */
export const tools = {
  make_image: {
    makes: 'image',
    description:
      'Makes one picture from words. The user is asked first. The picture appears in a message of its own, not in your answer.',
    shape: made,
  },
  make_video: {
    makes: 'video',
    description:
      'Makes one short film from words. The user is asked first. The film appears in a message of its own, minutes later.',
    shape: made,
  },
  find_models: {
    makes: undefined,
    description: 'Lists the models whose id contains a text, with what each seems to be made for.',
    shape: z.object({ text: z.string().trim().max(200) }),
  },
  list_my_tasks: {
    makes: undefined,
    description:
      'Lists what the user has newly ordered here in public: pictures, films, music, texts, and how each stands.',
    shape: z.object({}),
  },
} as const;

export type ToolName = keyof typeof tools;
export type CostlyTool = 'make_image' | 'make_video';

const names = Object.keys(tools) as ToolName[];

/** A longer list of models costs more to read than it is worth; then the bot's usual one is taken, unless the user names another. */
const MOST_MODELS = 30;

/** An answer in JSON is for a program, which has no use for pictures beside it. */
export function toolsOffered({ format }: Pick<AskRequest, 'format'>, models: readonly Model[]): TextTool[] {
  if (format === 'json') return [];
  return names.map((name) => {
    const { shape, description, makes } = tools[name];
    const { type, properties, required = [] } = z.toJSONSchema(shape);
    // JSON by its make, which the type of a schema does not say.
    const own = JSON.parse(JSON.stringify(properties ?? {})) as Parameters;
    const parameters: Parameters = {
      type: type ?? 'object',
      properties: { ...own, ...modelIn(makes, models) },
      required,
    };
    return { type: 'function', name, description, parameters };
  });
}

/** Ids that there are, so that none has to be made up. */
function modelIn(makes: ModelKind | undefined, models: readonly Model[]) {
  if (makes === undefined) return {};
  const ids = models.filter((model) => kindOf(model) === makes).map(({ id }) => id);
  const isListed = ids.length > 0 && ids.length <= MOST_MODELS;
  return { model: { type: 'string', description: 'Leave it out for the usual one.', ...(isListed && { enum: ids }) } };
}

type Parameters = Extract<TextTool, { type: 'function' }>['parameters'];

export const toolNamed = (name: string): ToolName | undefined => names.find((one) => one === name);

/** The arguments as the tool takes them; undefined where they are none of its kind. */
export function argumentsOf<Name extends ToolName>(
  name: Name,
  text: string,
): z.output<(typeof tools)[Name]['shape']> | undefined {
  try {
    const given: unknown = text.trim() === '' ? {} : JSON.parse(text);
    return tools[name].shape.safeParse(given).data as z.output<(typeof tools)[Name]['shape']> | undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

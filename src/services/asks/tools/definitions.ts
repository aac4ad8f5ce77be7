import { z } from 'zod';
import type { TextTool } from '../../gateway/responses/request.ts';
import type { AskRequest } from '../request.ts';

/** As much as a member can write into the prompt of the same command. */
const LONGEST_PROMPT = 6_000;

const prompt = z.string().trim().min(1).max(LONGEST_PROMPT);
const model = z.string().trim().min(1).max(200).optional();

const made = z.object({ prompt, model });

/** What the model may do, and for what of it its member has to say yes first. */
export const tools = {
  make_image: {
    costs: true,
    description:
      'Makes one picture from words. The user is asked first. The picture appears in a message of its own, not in your answer.',
    shape: made,
  },
  make_video: {
    costs: true,
    description:
      'Makes one short film from words. The user is asked first. The film appears in a message of its own, minutes later.',
    shape: made,
  },
  find_models: {
    costs: false,
    description: 'Lists the models whose id contains a text, with what each seems to be made for.',
    shape: z.object({ text: z.string().trim().max(200) }),
  },
  list_my_tasks: {
    costs: false,
    description:
      'Lists what the user has newly ordered here in public: pictures, films, music, texts, and how each stands.',
    shape: z.object({}),
  },
} as const;

export type ToolName = keyof typeof tools;
export type CostlyTool = 'make_image' | 'make_video';

const names = Object.keys(tools) as ToolName[];

/** An answer in JSON is for a program, which has no use for pictures beside it. */
export function toolsOffered({ format }: Pick<AskRequest, 'format'>): TextTool[] {
  if (format === 'json') return [];
  return names.map((name) => {
    const { $schema: _, ...parameters } = z.toJSONSchema(tools[name].shape);
    return { type: 'function', name, description: tools[name].description, parameters: parameters as Parameters };
  });
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

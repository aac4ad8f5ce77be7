/** The stub's response for every task, and therefore the task's stored state: a running job that never changes. */

export const PROMPT =
  'a lighthouse in a storm, oil on canvas, heavy impasto, a small boat fighting its way home between the rocks, muted greens ' +
  'and greys, one warm light in the keeper’s window --ar 16:9 --style raw --stylize 250';

const SUBMITTED_AT = Date.UTC(2026, 0, 1);

const [prefix, suffix] = JSON.stringify({
  id: '<id>',
  action: 'IMAGINE',
  customId: '',
  botType: 'MID_JOURNEY',
  prompt: PROMPT,
  promptEn: PROMPT,
  description: `/imagine ${PROMPT}`,
  state: '',
  submitTime: SUBMITTED_AT,
  imageUrl: 'https://media.example/attachments/1118138338562560102/preview-55.webp?ex=67a1&is=679f&hm=5c0b9f7d2e',
  videoUrl: '',
  videoUrls: [],
  buttons: [],
  maskBase64: '',
  notifyHook: '',
  properties: { finalPrompt: PROMPT },
  status: 'running',
  progress: 55,
  startTime: SUBMITTED_AT + 2_000,
  finishTime: null,
  failReason: null,
}).split('<id>') as [string, string];

export const responseFor = (remoteId: string): string => prefix + remoteId + suffix;

export const text = {
  command: {
    description: 'Shorter words for a long prompt',
    example: '/shorten prompt:a very long description of a fox',
    who: 'everyone',
    options: {
      prompt: 'The words that are to become fewer',
      private: 'Only you see the answer and its result',
    },
  },
  task: { lines: { directions: 'Mainly: {{words}}' } },
} as const;

export const text = {
  command: {
    description: 'Shorten a long prompt',
    example: '/shorten prompt:a very long description of a fox',
    options: {
      prompt: 'Prompt to shorten',
      private: 'Private reply that only you can see',
    },
  },
  task: { lines: { directions: 'Main topics: {{topics}}' } },
  tasks: { kinds: { shorten: 'Shortened prompt' } },
} as const;

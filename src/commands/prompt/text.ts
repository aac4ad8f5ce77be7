const prompt = 'The prompt';

export const text = {
  command: {
    description: 'Improve, translate or explain a prompt',
    improve: {
      description: 'Get up to three better prompts',
      example: '/prompt improve prompt:a fox in the snow',
      options: { prompt },
    },
    translate: {
      description: 'Translate a prompt',
      example: '/prompt translate prompt:ein Fuchs im Schnee',
      options: { prompt, to: 'Language of the translation; default: English' },
    },
    explain: {
      description: 'Explain what the parts of a prompt do',
      example: '/prompt explain prompt:a fox --ar 16:9 --stylize 500',
      options: { prompt },
    },
  },
  prompt: {
    uses: { imagine: 'Imagine', image: 'Image', video: 'Video' },
    facts: {
      improve: 'Better prompts; what is new is bold',
      translate: 'Translation into {{language}}; what is new is bold',
      explain: 'What the parts of the prompt do',
    },
    none: 'The model proposed no prompt. Press Run again, or change the prompt.',
  },
} as const;

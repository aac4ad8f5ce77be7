export const text = {
  command: {
    description: 'Ask a model a question and continue the conversation',
    example: '/ask prompt:why is the sky blue?',
    who: 'everyone',
    options: {
      prompt: 'Your question',
      model: 'Model ID; default: this bot’s text model',
      image: 'Image for your question',
      file: 'PDF or text file for your question',
      instructions: 'Instructions for the whole conversation',
      effort: 'Reasoning effort, such as low or high, for some models',
      format: 'Format of the answer: text, or JSON for programs',
      web: 'Web search, if the model supports it',
      new: 'New conversation instead of continuing the last one here',
      private: 'Private reply that only you can see',
    },
    choices: {
      format: { text: 'Text', json: 'JSON' },
    },
  },
  ask: {
    form: {
      title: 'Continue the conversation',
      question: 'Your next question',
      file: 'Image or file',
      fileHint: 'An image, a PDF or a text file.',
    },
    forgotten:
      'The conversation has ended. Its questions and answers are no longer sent to a model; your next question starts a new one.',
    details: {
      title: 'Details of this answer',
      model: 'Model: {{model}}',
      tokens: 'Tokens: {{input}} input, {{output}} output',
      cached: 'Cached input tokens: {{cached}}',
      reasoning: 'Reasoning tokens: {{reasoning}}',
      noTokens: 'Tokens: not reported by the gateway',
      seconds: 'Duration: {{seconds}} s',
      characters_one: 'Length: {{count}} character',
      characters_other: 'Length: {{count}} characters',
      tools: 'Tool calls: {{count}}',
      effort: 'Reasoning effort: {{effort}}',
      instructions: 'With custom instructions',
      turns: 'Earlier questions in this conversation: {{count}}',
    },
  },
  refusals: { notStoppable: 'This answer has already ended.' },
  tasks: { kinds: { ask: 'Answer' } },
} as const;

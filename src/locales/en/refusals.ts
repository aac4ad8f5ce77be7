export const refusals = {
  optionPromptEmpty: 'The prompt is empty. Enter some text and try again.',
  notAnImage: '{{name}} is not an image (its type is {{mediaType}}). Choose a PNG, JPEG, WebP, GIF or AVIF file.',
  imageEmpty: '{{name}} is empty. Choose another file.',
  spoilerRequired: 'Moderation requires the spoiler, so this result cannot be shown openly.',
  noPromptInMessage: 'This message has no result with a prompt. Choose a result of this bot.',
  noImageInMessage: 'This message has no image. Choose a message that shows one.',
  imageUrlInvalid:
    '{{link}} is not a valid URL. Enter full URLs that start with `https://` or `http://` and have no user name or password, separated by spaces.',
  cannotPostResult: {
    withOption:
      'The bot cannot post the result here without these permissions: {{missing}}. Ask an admin to grant them, or use the option `private`.',
    withoutOption:
      'The bot cannot post the result here without these permissions: {{missing}}. Ask an admin to grant them.',
  },
  documentUnreadable: '{{name}} is neither a PDF nor a readable text file. Save it as UTF-8 text or PDF.',
  documentEmpty: '{{name}} is empty. Choose another file.',
  documentTooLarge: '{{name}} is larger than {{max}}. Attach only the part that matters.',
  documentGone: '{{name}} is no longer available. Upload it again.',
  duplicateRequest: 'You just submitted this exact request. To run it twice, submit it again in a moment.',
  kindNotSupported:
    'This gateway cannot generate songs, so nothing was submitted or charged. You can follow existing songs with `/music follow`.',
  unknownTask: 'This task is no longer stored. Run the command again.',
  unknownTaskToDelete: {
    server:
      'This task is no longer stored, so the bot cannot tell whose message this is. Delete it in Discord’s own menu, or ask a moderator.',
    direct:
      'This task is no longer stored, so the bot cannot tell whose message this is. Delete it in Discord’s own menu, if that offers it to you.',
  },
  elsewhere: 'This can only be done where the task was requested. Open that server or direct message and try again.',
  notYours: 'Only the member who requested this can do that.',
  /** For moderators, about a private result that its owner has shown to everyone. */
  notYoursToModerate:
    'Only the member who requested this can use its buttons. To delete the message, use **Delete Message** in its Discord menu.',
  notYoursToDelete: 'Only the member who requested this and members with the Manage Messages permission can delete it.',
  alreadyResubmitted: 'This has already been resubmitted. The newer message has its result.',
  promptNotNeeded: 'This task no longer needs a prompt.',
  questionMissing: 'The question is empty. Enter one and submit the form again.',
  promptMissing: 'The prompt is empty. Enter some text and submit the form again.',
  notConfirmed: 'We couldn’t confirm whether this was saved. Check `/tasks` in a minute before you try again.',
  storeUnavailable: 'The bot cannot save anything right now, so nothing was done. Try again in a moment.',
  reasonGone: 'Only the member who asked can read this, for an hour. If that was you, ask again to see it.',
  answerInProgress: 'This answer has not ended yet. Reply to it when it has.',
  questionDeleted: 'The question was deleted, so the answer was stopped.',
  tooManyMessages_one:
    'You already have {{count}} question waiting in this channel. Wait for an answer, then ask again.',
  tooManyMessages_other:
    'You already have {{count}} questions waiting in this channel. Wait for an answer, then ask again.',
  formGone: 'This form is no longer available. Open it again from its message.',
  storeSlow: 'The bot is slow right now, so the form could not be opened. Try again.',
  noResult: 'This task has no result to continue from.',
  notFailed: 'This task has not failed, so it cannot be retried.',
  cannotCancel:
    'The gateway cannot cancel a task that has started, so this one continues. You can delete the result when it appears here.',
  alreadyDecided: 'You have already responded to this.',
  usageDateInvalid: '{{day}} is not a valid date. Use the format `2026-01-31`.',
  usageEndFirst: 'The end date {{end}} is before the start date {{start}}. Swap them and try again.',
  usageAhead: 'The start date {{start}} is in the future; today is {{today}} (UTC). Choose an earlier date.',
  usageTooLong: 'The range is {{days}} days long; the maximum is {{max}}. Choose a shorter range.',
  guildNotServed: 'This bot does not accept requests on this server.',
  directNotServed: 'This bot does not accept requests in direct messages. Use it on one of its servers.',
  notUserInstallable: 'This bot works only on servers where it has been added, not as a personal app.',
  unknownCommand: 'This command no longer exists. Restart Discord to see the current commands.',
  unknownButton: 'This button no longer works. Run the command again.',
  outdatedButton: 'This button is from another version of the bot. Run the command again to get a new one.',
  talkOutsideServer:
    'A live conversation needs a thread on a server where this bot is installed. Use `/talk start` there.',
  talkNoThreads:
    'A live conversation needs a thread, and this channel cannot have one. Use `/talk start` in a text channel or a thread.',
  talkNotAllowed:
    'The bot needs these permissions here to open a thread for a live conversation: {{missing}}. Ask an admin to grant them, or try another channel.',
  talkThreadRefused:
    'Discord did not let the bot create or use a thread here, so the conversation ended. Try another channel or an existing thread.',
  talkThreadsFull:
    'This server has reached Discord’s limit on active threads, so the conversation ended. Archive one, or use `/talk start` in an existing thread.',
  talkThreadLater: 'Discord could not create the thread, so the conversation ended. Try again in a moment.',
  talkOver: 'This live conversation has ended. Use `/talk start` to start another one.',
  stopping: 'The bot is restarting. Try again in a moment.',
  interrupted: 'A restart interrupted this. Check `/tasks` to see what was started, then try again.',
  filesTooLarge: 'Discord refused the files of this response as too large. Ask the operator of this bot for a copy.',
  remixHere: 'Your settings want the prompt opened first. Press the button again.',
  privateHere:
    'Replies to this command are private here or by your settings, so nothing was done. Run the command again.',
  exportTooLarge: 'Your data is too large for a Discord file. Ask the operator of this bot for a copy.',
  exportInProgress: 'Your export is already in progress. It will appear where you first requested it.',
  exportDuringErasure: 'Your data is being deleted. Request an export when the deletion has finished.',
  nameModel:
    'No suitable model was found. Enter a model ID with the option `model`, or ask the operator to set {{setting}}.',
  nameModelNear:
    'No suitable model was found. Enter a model ID with the option `model`, such as {{near}}, or ask the operator to set {{setting}}.',
  unknownModel: 'The model {{id}} does not exist or is not available to this bot. Check the ID; it is case-sensitive.',
  unknownModelNear: 'The model {{id}} does not exist or is not available to this bot. Similar models: {{near}}.',
  tooManyImages: 'You can add at most {{max}} files and URLs, and you added {{count}}. Remove some and try again.',
  imagesTooLarge: 'The images are larger than {{max}} in total. Use fewer or smaller ones.',
  imageInvalid: '{{name}} is not a valid image. Use a PNG, JPEG, WebP, GIF or AVIF file.',
  imageTooLarge: '{{name}} is larger than {{max}} or has too many pixels. Reduce its size and try again.',
  videoInvalid: '{{name}} is not a valid video. Use an MP4, MOV or WebM file.',
  audioInvalid: '{{name}} is not a valid audio file. Use an MP3, M4A, WAV or OGG file.',
  fileTooLarge: '{{name}} is larger than {{max}}. Reduce its size and try again.',
  questionExpired: 'This question has expired, so nothing was submitted. Submit the request again.',
  questionGone:
    'This question was changed, answered or deleted. If you did not run it, press **Show price** again if it is there, or submit the request again.',
  tooManyVariants:
    'This would make {{count}} tasks, and at most {{max}} can be submitted together. Shorten the lists, or write a plain brace as `\\{`.',
  farTooManyVariants:
    'This would make more than {{count}} tasks, and at most {{max}} can be submitted together. Shorten the lists, or write a plain brace as `\\{`.',
  mediaInvalid: '{{name}} is not a valid image, video or audio file. Choose another file.',
  notMedia: '{{name}} is not an image, a video or an audio file (its type is {{mediaType}}).',
  uploadsNotSupported:
    'This gateway does not accept uploaded images. Ask the operator to set `GATEWAY_IMAGINE_REFERENCES` to `address` or `base64`.',
  referenceNotPublic: '{{name}} is not on the public internet, so the gateway cannot fetch it. Use a public URL.',
  referenceUnreachable: 'The gateway cannot download {{name}} from Discord. Use one with a public URL instead.',
  referenceExpired: 'The URL of {{name}} expired at {{until}}. Upload the file again.',
  referenceExpiresSoon:
    'The URL of {{name}} expires at {{until}}, but the gateway may need it for another {{minutes}} minutes. Upload the file again.',
  imageGone: '{{name}} is no longer available. Upload it again.',
  sourceImageGone: 'The source image is no longer available. Generate it again first.',
  imageUnreachable: '{{name}} could not be downloaded. Upload it to Discord, or try again in a moment.',
  regionMissing: 'Choose an area to change, or upload a mask.',
  regionBoth: 'Choose an area or upload a mask, not both. Remove one and try again.',
  maskShape:
    '{{name}} is {{size}} pixels, but the image is {{imageSize}}. Upload a mask with the same aspect ratio as the image.',
  maskEmpty:
    '{{name}} does not mark any area. Use white or transparency for the area that should change, and black for the rest.',
  maskFull: '{{name}} marks the whole image. Use white only for the area that should change, and black for the rest.',
  maskUnclear:
    '{{name}} has too many shades of gray. Use white or transparency for the area that should change, and black for the rest.',
  maskSizeUnknown:
    'The bot cannot determine the size of the source image right now. Try again in a moment, or upload a mask.',
  audioDamaged: 'This audio file is damaged. Record or save it again, then resend it.',
  audioTooLong: 'This recording is longer than {{max}} seconds. Send it in shorter parts.',
  audioEmpty: 'This recording is empty. Record it again, then resend it.',
  audioNotSupported: 'This audio format is not supported. Send a voice message, or an Ogg Opus, MP3 or WAV file.',
  audioBusy: 'The bot is processing too much audio right now. Try again in a moment.',
  overBudget: {
    member:
      'This request (price: {{price}}) would exceed your limit on this server: {{limit}}. You have {{left}} left, and the limit resets <t:{{resets}}:R>.',
    direct:
      'This request (price: {{price}}) would exceed your limit in direct messages and with your own installation of the bot: {{limit}}. You have {{left}} left, and the limit resets <t:{{resets}}:R>.',
    server:
      'This request (price: {{price}}) would exceed this server’s limit: {{limit}}. The server has {{left}} left, and the limit resets <t:{{resets}}:R>.',
    operator:
      'This request (price: {{price}}) would exceed the operator’s limit for this server: {{limit}}. The server has {{left}} left, and the limit resets <t:{{resets}}:R>.',
    total:
      'This request (price: {{price}}) would exceed the bot-wide limit: {{limit}}. The bot has {{left}} left, and the limit resets <t:{{resets}}:R>.',
  },
  conversationPrice:
    'A longer conversation costs more. Press **End conversation** under its last answer to start a new one.',
  concurrent: {
    member: 'Your limit on this server is {{limit}}. Wait until one of your tasks has finished, then try again.',
    direct:
      'Your limit in direct messages and with your own installation of the bot is {{limit}}. Wait until one of your tasks has finished, then try again.',
    server: 'This server’s limit is {{limit}}. Wait until one of its tasks has finished, then try again.',
    operator:
      'The operator’s limit for this server is {{limit}}. Wait until one of its tasks has finished, then try again.',
    total: 'The bot-wide limit is {{limit}}. Wait a moment, then try again.',
  },
  paused: {
    server:
      'New requests are paused on this server, and queued tasks are refused when their turn comes. Running tasks continue. Try again later.',
    everywhere:
      'New requests are paused on all servers, and queued tasks are refused when their turn comes. Running tasks continue. Try again later.',
  },
  blocked: {
    until: 'You are blocked from making new requests on this server until <t:{{until}}:f>.',
    always: 'You are blocked from making new requests on this server. Ask an admin if you think this is a mistake.',
  },
  notText: 'The file is not text. Save it as plain text (UTF-8), then try again.',
  rules: {
    denied: {
      admin: {
        request: {
          everywhere: 'You are not allowed to make this request. Ask an admin if you think this is a mistake.',
          here: 'You can’t make this request in this channel. Try another channel, or ask an admin.',
        },
        model: {
          everywhere:
            'You are not allowed to use the model {{model}}. Choose another one with a command, or ask an admin.',
          here: 'You can’t use the model {{model}} in this channel. Try another channel, choose another model with a command, or ask an admin.',
        },
      },
      operator: {
        request: {
          everywhere:
            'You are not allowed to make this request. Ask the bot’s operator if you think this is a mistake.',
          here: 'You can’t make this request in this channel. Try another channel, or ask the bot’s operator.',
        },
        model: {
          everywhere:
            'You are not allowed to use the model {{model}}. Choose another one with a command, or ask the bot’s operator.',
          here: 'You can’t use the model {{model}} in this channel. Try another channel, choose another model with a command, or ask the bot’s operator.',
        },
      },
    },
    word: 'Your request contains a word or phrase that is blocked here. Change it and try again.',
    pattern: 'Your request matches a pattern that is blocked here. Change it and try again.',
    link: 'Your request contains a link to a site that is not allowed here. Remove it and try again.',
    suffix: {
      own: 'The suffix in your settings contains something that is blocked here. Change it with `/settings` and try again.',
      shared:
        'The suffix that the settings of this channel or server add contains something that is blocked here. Ask an admin to change it.',
    },
    quoted: 'The message that your question is about contains something that is blocked here. Choose another one.',
    tooLong_one: 'Prompts here can be at most {{max}} character long. Shorten yours and try again.',
    tooLong_other: 'Prompts here can be at most {{max}} characters long. Shorten yours and try again.',
    textTooLong:
      'Text is checked here, so a request with its documents can have at most {{max}} characters. Shorten it and try again.',
    moderated: 'The moderation service flagged your request, so it was not submitted. Change it and try again.',
    moderatedHere:
      'Your request was not submitted: content like this is allowed only in age-restricted channels. Submit it in one.',
    resultRefused: 'The rules here do not allow the generated result. Change the prompt and try again.',
    resultElsewhere: 'Results like this are allowed only in age-restricted channels. Submit the request in one.',
    resultUnchecked: 'The moderation service could not check the result. Ask an admin before you try again.',
    resultUndecidable:
      'A moderator has to decide about it, but there is no channel where one can be asked. Ask an admin to choose a log channel before you try again.',
    resultUndecidableDirect:
      'A moderator would have to decide about it, and none can in direct messages. Change the prompt, or ask the bot’s operator.',
    resultUndecided: 'No moderator decided about it within 7 days. Ask a moderator before you try again.',
    resultRejected: 'A moderator of this server decided not to show it. Ask a moderator before you try again.',
    resultRemoved: 'A moderator of this server removed the result.',
    showRefused: 'The rules here do not allow this result. Press **Show only to me** to see it.',
    showElsewhere: 'Results like this are allowed only in age-restricted channels. Show it in one.',
    showUnchecked: 'The moderation service could not check the result, so it is not shown here. Try again later.',
    reviewOver: 'This result is no longer waiting for a decision.',
    moderatorsOnly: 'Only members with the Manage Messages permission can do this.',
    moderationUnavailable:
      'Your request could not be checked because the moderation service is unavailable. Try again in a few minutes.',
    press: {
      admin: 'This server does not let you press these buttons on other members’ results, or continue their answers.',
      operator:
        'The bot’s operator does not let you press these buttons on other members’ results, or continue their answers.',
    },
    foreignChannel:
      'That channel is not on the server whose settings you change. Choose one of its own channels there.',
    personalInstall: 'Apps that only you have installed are not allowed here. Use the bot in a direct message.',
    patternInvalid: 'The pattern {{pattern}} is invalid: {{reason}}. Patterns use RE2 syntax.',
    patternsTooComplex:
      'The patterns up to {{pattern}} are too complex together. Use shorter ones with fewer repetitions.',
  },
  countTooLarge: 'One request can have at most {{max}} results. Lower the number and try again.',
  totalUnknown: 'The bot is being updated and can’t check its own limit yet. Try again in a few minutes.',
  tooMany: {
    ask_one: 'You already have {{count}} answer in progress. Wait until it has finished, or press **Stop** under it.',
    ask_other:
      'You already have {{count}} answers in progress. Wait until one has finished, or press **Stop** under it.',
    talk_one: 'You already have a live conversation. End it with `/talk end`, then start another one.',
    talk_other: 'You already have {{count}} live conversations. End one with `/talk end`, then start another one.',
  },
  tooFast: 'You are sending requests too quickly. Try again <t:{{until}}:R>.',
  waiting: {
    member_one: 'You can have at most {{count}} task in the queue. Wait until it starts, or cancel it, then try again.',
    member_other:
      'You can have at most {{count}} tasks in the queue. Wait until one starts, or cancel one, then try again.',
    direct_one: 'You can have at most {{count}} task in the queue. Wait until it starts, or cancel it, then try again.',
    direct_other:
      'You can have at most {{count}} tasks in the queue. Wait until one starts, or cancel one, then try again.',
    server_one: 'This server can have at most {{count}} task in the queue. Wait until it starts, then try again.',
    server_other: 'This server can have at most {{count}} tasks in the queue. Wait until one starts, then try again.',
    operator_one:
      'The operator allows this server at most {{count}} task in the queue. Wait until it starts, then try again.',
    operator_other:
      'The operator allows this server at most {{count}} tasks in the queue. Wait until one starts, then try again.',
    total_one: 'The bot can have at most {{count}} task in the queue. Wait until it starts, then try again.',
    total_other: 'The bot can have at most {{count}} tasks in the queue. Wait until one starts, then try again.',
  },
  failing: {
    model:
      'The model {{model}} has been failing since <t:{{since}}:f>, so nothing was submitted. Choose another model, or try again <t:{{until}}:R>.',
    kind: 'Tasks of this type have been failing since <t:{{since}}:f>, so nothing was submitted. Try again <t:{{until}}:R>.',
  },
  /** A single trial task checks whether the model still fails. */
  probing: {
    model:
      'The model {{model}} has been failing since <t:{{since}}:f> and is being tested with one task. Choose another model, or try again in a few minutes.',
    kind: 'Tasks of this type have been failing since <t:{{since}}:f>, and the gateway is being tested with one task. Try again in a few minutes.',
  },
  queueFull: 'The bot’s queue is full. Try again later.',
  noCredit: 'The bot’s account has no credit left for this. The operator has been notified. Try again later.',
  busy: 'The bot is too busy right now. Try again in a moment.',
} as const;

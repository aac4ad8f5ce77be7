/** What a button of an image task does. */
export type FollowUp =
  | { readonly do: 'upscale'; readonly index: number }
  | { readonly do: 'upscale-more'; readonly manner: 'subtle' | 'creative' }
  | { readonly do: 'variation'; readonly index: number }
  | { readonly do: 'vary'; readonly strength: 'subtle' | 'strong' }
  | { readonly do: 'reroll' }
  | { readonly do: 'pan'; readonly direction: 'left' | 'right' | 'up' | 'down' }
  | { readonly do: 'zoom'; readonly factor: number }
  | { readonly do: 'square' }
  | { readonly do: 'custom-zoom' }
  | { readonly do: 'inpaint' }
  | { readonly do: 'read-image'; readonly line: number }
  | { readonly do: 'read-all' }
  | { readonly do: 'describe-again' }
  | { readonly do: 'analyzed'; readonly line: number }
  | { readonly do: 'animate'; readonly motion: 'low' | 'high' }
  | { readonly do: 'extend'; readonly motion: 'low' | 'high'; readonly index: number }
  | { readonly do: 'upscale-video'; readonly index: number };

const soloCustomId = (name: string, index: number, uuid: string) => `MJ::JOB::${name}::${index}::${uuid}::SOLO`;

/** The custom id of a button. */
export function customIdOf(followUp: FollowUp, uuid: string): string {
  switch (followUp.do) {
    case 'upscale':
      return `MJ::JOB::upsample::${followUp.index}::${uuid}`;
    case 'upscale-more':
      return soloCustomId(`upsample_v7_2x_${followUp.manner}`, 1, uuid);
    case 'variation':
      return `MJ::JOB::variation::${followUp.index}::${uuid}`;
    case 'vary':
      return soloCustomId(followUp.strength === 'subtle' ? 'low_variation' : 'high_variation', 1, uuid);
    case 'reroll':
      return soloCustomId('reroll', 0, uuid);
    case 'pan':
      return soloCustomId(`pan_${followUp.direction}`, 1, uuid);
    case 'zoom':
      return `MJ::Outpaint::${followUp.factor === 2 ? 50 : 75}::1::${uuid}::SOLO`;
    case 'square':
      return `MJ::Outpaint::100::1::${uuid}::SOLO`;
    case 'custom-zoom':
      return `MJ::CustomZoom::${uuid}`;
    case 'inpaint':
      return `MJ::Inpaint::1::${uuid}::SOLO`;
    case 'read-image':
      return `MJ::Job::PicReader::${followUp.line}`;
    case 'read-all':
      return 'MJ::Job::PicReader::all';
    case 'describe-again':
      return 'MJ::Picread::Retry';
    case 'analyzed':
      return `MJ::Job::PromptAnalyzer::${followUp.line}`;
    case 'animate':
      return soloCustomId(`animate_${followUp.motion}`, 1, uuid);
    case 'extend':
      return soloCustomId(`animate_${followUp.motion}_extend`, followUp.index, uuid);
    case 'upscale-video':
      return soloCustomId('video_virtual_upscale', followUp.index, uuid);
  }
}

/** Whether a stock gateway can execute the custom id; it refuses all others. */
export const isCommonAction = (customId: string) =>
  /^MJ::(?:JOB::(?:upsample|\w*variation|pan_|reroll)|Outpaint|CustomZoom|Inpaint)/.test(customId);

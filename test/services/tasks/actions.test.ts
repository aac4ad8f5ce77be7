import { describe, expect, it } from 'vitest';
import { meaningOfAction, needsForm } from '../../../src/services/tasks/actions.ts';

const uuid = '0b8f1c9e-4a7d-4f7e-9c1f-0a1b2c3d4e5f';

describe('A button from the gateway', () => {
  it.each([
    [`MJ::JOB::upsample::2::${uuid}`, { family: 'upscale', promptRequirement: 'never', index: 2 }],
    [`MJ::JOB::variation::4::${uuid}`, { family: 'variation', promptRequirement: 'in-remix', index: 4 }],
    [`MJ::JOB::reroll::0::${uuid}::SOLO`, { family: 'reroll', promptRequirement: 'in-remix' }],
    [
      `MJ::JOB::upsample_v7_2x_subtle::1::${uuid}::SOLO`,
      { family: 'upscale-more', variant: 'subtle-upscale', promptRequirement: 'never' },
    ],
    [
      `MJ::JOB::upsample_v5_4x::1::${uuid}::SOLO`,
      { family: 'upscale-more', variant: 'upscale-4x', promptRequirement: 'never' },
    ],
    [
      `MJ::JOB::low_variation::1::${uuid}::SOLO`,
      { family: 'vary', variant: 'subtle-variation', promptRequirement: 'in-remix' },
    ],
    [
      `MJ::JOB::high_variation::1::${uuid}::SOLO`,
      { family: 'vary', variant: 'strong-variation', promptRequirement: 'in-remix' },
    ],
    [`MJ::JOB::pan_left::1::${uuid}::SOLO`, { family: 'pan', variant: 'pan-left', promptRequirement: 'in-remix' }],
    [`MJ::Outpaint::50::1::${uuid}::SOLO`, { family: 'zoom', variant: 'zoom-2x', promptRequirement: 'never' }],
    [`MJ::Outpaint::100::1::${uuid}::SOLO`, { family: 'zoom', variant: 'make-square', promptRequirement: 'never' }],
    [`MJ::CustomZoom::${uuid}`, { family: 'custom-zoom', promptRequirement: 'always' }],
    [`MJ::CustomZoom::1::${uuid}`, { family: 'custom-zoom', promptRequirement: 'always' }],
    [`MJ::Inpaint::1::${uuid}::SOLO`, { family: 'region', promptRequirement: 'with-region' }],
    ['MJ::Job::PicReader::3', { family: 'describe-line', promptRequirement: 'always', index: 3 }],
    ['MJ::Job::PicReader::all', { family: 'describe-all', promptRequirement: 'never' }],
    ['MJ::Picread::Retry', { family: 'describe-again', promptRequirement: 'never' }],
    ['MJ::Job::PromptAnalyzer::5', { family: 'shorten-line', promptRequirement: 'always', index: 5 }],
    [
      `MJ::JOB::animate_high::1::${uuid}::SOLO`,
      { family: 'animate', variant: 'high-animation', promptRequirement: 'in-remix' },
    ],
    [
      `MJ::JOB::animate_low_extend::2::${uuid}::SOLO`,
      { family: 'extend', variant: 'low-extension', promptRequirement: 'always', index: 2 },
    ],
    [
      `MJ::JOB::video_virtual_upscale::1::${uuid}::SOLO`,
      { family: 'single-video', promptRequirement: 'never', index: 1 },
    ],
    [`MJ::BOOKMARK::${uuid}`, { family: 'favourite', promptRequirement: 'never' }],
    ['something::nobody::told', { family: 'other', promptRequirement: 'never' }],
    ['', { family: 'other', promptRequirement: 'never' }],
  ] as const)('A button from the gateway is understood: %s', (customId, meaning) => {
    expect(meaningOfAction(customId)).toEqual(meaning);
  });

  it('A button from the gateway opens a form first if the gateway will require a prompt', () => {
    expect(needsForm(meaningOfAction(`MJ::CustomZoom::${uuid}`), false)).toBe(true);
    expect(needsForm(meaningOfAction(`MJ::Inpaint::1::${uuid}::SOLO`), false)).toBe(true);
    expect(needsForm(meaningOfAction(`MJ::JOB::variation::1::${uuid}`), false)).toBe(false);
    expect(needsForm(meaningOfAction(`MJ::JOB::variation::1::${uuid}`), true)).toBe(true);
    expect(needsForm(meaningOfAction(`MJ::JOB::upsample::1::${uuid}`), true)).toBe(false);
  });
});

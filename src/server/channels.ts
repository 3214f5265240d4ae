/** The forms in which several streams share one websocket: the first byte, or digit, of a message says which. */

/** One of them. */
export interface ChannelForm {
  /** How a command ended is told as a Status; else as a text, and only if it failed. */
  readonly hasStatus: boolean;
  message(channel: number, text: string): Uint8Array | string;
}

/** Those that are spoken here, the best first. */
export const SUBPROTOCOLS: readonly string[] = [
  'v5.channel.k8s.io',
  'v4.channel.k8s.io',
  'v4.base64.channel.k8s.io',
  'channel.k8s.io',
  'base64.channel.k8s.io',
];

/** @param subprotocol - one of {@link SUBPROTOCOLS}; absent = the oldest */
export function channelForm(subprotocol = 'channel.k8s.io'): ChannelForm {
  const hasStatus = subprotocol.startsWith('v');
  if (subprotocol.includes('base64')) {
    return { hasStatus, message: (channel, text) => `${channel}${Buffer.from(text).toString('base64')}` };
  }
  return { hasStatus, message: (channel, text) => Buffer.concat([Uint8Array.of(channel), Buffer.from(text)]) };
}

/** The forms in which several streams share one websocket: the first byte, or digit, of a message says which. */

/** One of them. */
export interface ChannelForm {
  /** How a command ended is told as a Status; else as a text, and only if it failed. */
  readonly hasStatus: boolean;
  message(channel: number, bytes: Buffer): Uint8Array | string;
  /** What a message says of the input: bytes, or its end; `undefined` = it is about something else. */
  input(message: Buffer): { readonly bytes: string | undefined } | undefined;
}

/** Those that are spoken here, the best first. */
export const SUBPROTOCOLS: readonly string[] = [
  'v5.channel.k8s.io',
  'v4.channel.k8s.io',
  'v4.base64.channel.k8s.io',
  'channel.k8s.io',
  'base64.channel.k8s.io',
];

const STDIN = 0;
/** Of v5: the stream whose number follows is at its end. */
const CLOSE = 255;

/** @param subprotocol - one of {@link SUBPROTOCOLS}; absent = the oldest */
export function channelForm(subprotocol = 'channel.k8s.io'): ChannelForm {
  const hasStatus = subprotocol.startsWith('v');
  if (subprotocol.includes('base64')) {
    return {
      hasStatus,
      message: (channel, bytes) => `${channel}${bytes.toString('base64')}`,
      input: (message) =>
        message[0] === '0'.charCodeAt(0)
          ? { bytes: Buffer.from(message.subarray(1).toString(), 'base64').toString('latin1') }
          : undefined,
    };
  }
  return {
    hasStatus,
    message: (channel, bytes) => Buffer.concat([Uint8Array.of(channel), bytes]),
    input(message) {
      if (message[0] === CLOSE) return message[1] === STDIN ? { bytes: undefined } : undefined;
      return message[0] === STDIN ? { bytes: message.subarray(1).toString('latin1') } : undefined;
    },
  };
}

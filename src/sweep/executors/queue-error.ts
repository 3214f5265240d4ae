/** A queue that cannot be used. Apart from queues, whose types name packages that are not always there. */
export class QueueError extends Error {
  override readonly name = 'QueueError';
}

/** Neither the request nor an answer gets through any more: its client sees the connection break off. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** Why a kubelet refuses a pod for good. */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

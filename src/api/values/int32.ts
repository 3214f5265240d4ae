/** The largest value of Go's int32, the type of most whole numbers in the API. */
export const MAX_INT32 = 2_147_483_647;

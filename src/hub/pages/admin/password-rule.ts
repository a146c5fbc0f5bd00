/** Characters a new password has at least; what the appliance says counts. */
export const passwordMin = 10;

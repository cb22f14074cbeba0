// @ts-check
// How a rating is shown.

/** A player's points, with a question mark while they are provisional. @param {{rating: number, provisional: boolean}} rated */
export const pointsOf = ({rating, provisional}) => `${rating}${provisional ? "?" : ""}`;

// A trick-taking game for three players for boardgame.io, as large as cats_and_dogs: hidden hands, one card per move.
const deck = () => [..."CDHS"].flatMap((suit) => [..."23456789TJQKA"].map((rank) => rank + suit));

const deal = (random, players) => {
  const cards = random.Shuffle(deck());
  return Object.fromEntries([...Array(players).keys()].map((seat) => [seat, cards.slice(seat * 17, seat * 17 + 17)]));
};

export const Tricks = {
  name: "tricks",
  setup: ({ random, ctx }) => ({ hands: deal(random, ctx.numPlayers), table: [], won: {} }),
  playerView: ({ G, playerID }) => ({ ...G, hands: { [playerID]: G.hands[playerID] } }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    play: {
      client: false, // the server judges, and sends the result to the client
      move: ({ G, ctx, random, playerID }, card) => {
        const at = G.hands[playerID].indexOf(card);
        if (at < 0) return "INVALID_MOVE";
        G.hands[playerID].splice(at, 1);
        G.table.push(card);
        if (G.table.length === ctx.numPlayers) {
          G.won[playerID] = (G.won[playerID] ?? 0) + 1;
          G.table = [];
        }
        if (Object.values(G.hands).every((hand) => hand.length === 0)) G.hands = deal(random, ctx.numPlayers);
      },
    },
  },
};

// What a search saw before the last move: the same search, of the same seed, finds it again.
import { Thinking } from "lab/shared/api";
import { label, why } from "lab/shared/sentences";

export const SEARCHER = "uct"; // the player that shows its numbers

// Returns the search, to be cancelled, or null; onThought is called when it has made the move that was played.
export function recall({ game, players, seed }, onThought) {
  const ply = game.ply - 1, side = ply % 2, player = players[side];
  if (ply < 0 || player.name !== SEARCHER || player.seconds) return null;
  return new Thinking({ position: game.told(ply), player, seed }, {
    thinking() {},
    failed() {},
    stopped() {},
    lost() {},
    moved(event) {
      const { column } = event, name = label(player);
      if (column !== game.line[ply]) return; // somebody else played it
      onThought({ side, ply, name, event, column, why: why(event, name, side ? -1 : 1) });
    },
  });
}

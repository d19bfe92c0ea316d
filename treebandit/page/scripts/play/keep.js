// Keeps a game as one file that replays it.
import { post } from "lab/shared/api";
import { download } from "lab/shared/elements";
import { label } from "lab/shared/sentences";

export async function keep(game, players) {
  const position = game.told(game.line.length), name = position.moves.replaceAll(",", "-").slice(0, 80) || "empty";
  download(await post("/api/games", { position, players: players.map(label) }, { as: "blob" }), `game_${name}.html`);
}

"""Games over HTTP: creating, joining, playing and viewing them."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.support.callers import Caller, Clock, first_move, new_game, play_on


def test_a_game_is_created_joined_by_invite_and_started(host: Caller, four: list[Caller]) -> None:
    seats = [{"player": four[0].player, "entropy": "abc"}, {"open": True}, {"open": True}, {"bot": "random"}]
    made = host.post("/v1/games", {"ruleset": "pies", "seats": seats})
    game = made.json
    assert made.headers["Location"] == f"/v1/games/{game['id']}"
    assert game["status"] == "open"
    assert game["view"] is None
    assert game["visibility"] == "private"
    assert game["options"] == {"blocking": "top", "recolour": False, "move_limit": 0}
    assert [seat["open"] for seat in game["seats"]] == [False, True, True, False]
    path = f"/v1/games/{game['id']}"
    assert not {"invite", "join_url"} & four[0].get(path).json["seats"][1].keys()
    invite = game["seats"][1]["invite"]
    assert game["seats"][1]["join_url"] == f"/join#game={game['id']}&seat=1&invite={invite}"
    assert game["join_url"] == f"/join#game={game['id']}&invite={game['invite']}"
    assert "join_url" not in game["seats"][3]
    assert four[1].get(path).status_code == 404
    assert four[1].put(f"{path}/seats/1").status_code == 404
    assert four[1].put(f"{path}/seats/1", {"invite": game["seats"][2]["invite"]}).status_code == 404
    joined = four[1].put(f"{path}/seats/1", {"invite": game["seats"][1]["invite"], "entropy": "é"})
    assert joined.status_code == 200
    assert joined.json["viewer"] == {"seats": [1]}
    assert host.put(f"{path}/seats/2", {"player": four[2].player}).json["status"] == "running"
    kinds = [entry["type"] for entry in host.get(f"{path}/events").json["items"]]
    assert kinds[:6] == ["created", "joined", "joined", "joined", "joined", "started"]
    record = host.get(f"{path}/record").json
    assert record["entropy"] == ["abc", "é", "", ""]
    assert record["seed"] is None


def test_seats_are_taken_once_and_left_before_the_start(host: Caller, four: list[Caller]) -> None:
    game = host.post(
        "/v1/games",
        {"ruleset": "cats_and_dogs", "visibility": "public", "seats": [{"open": True}, {"open": True}]},
    ).json
    path = f"/v1/games/{game['id']}"
    assert four[0].put(f"{path}/seats/0").status_code == 200
    assert four[0].put(f"{path}/seats/0").status_code == 200, "the same player takes the same seat again"
    taken = four[1].put(f"{path}/seats/0")
    assert (taken.status_code, taken.json["type"]) == (409, "/problems/seat-taken")
    assert four[1].delete(f"{path}/seats/0").status_code == 403
    assert four[0].put(f"{path}/seats/7").status_code == 404
    assert four[0].put(f"{path}/seats/1", {"invite": "WRONG"}).status_code == 403
    assert four[0].delete(f"{path}/seats/0").status_code == 204
    assert four[1].put(f"{path}/seats/0").status_code == 200
    assert four[2].put(f"{path}/seats/1").json["status"] == "running"
    late = four[0].put(f"{path}/seats/1")
    assert (late.status_code, late.json["type"]) == (409, "/problems/game-not-open")
    assert four[1].delete(f"{path}/seats/0").status_code == 409
    kinds = [entry["type"] for entry in host.get(f"{path}/events").json["items"]]
    assert kinds == ["created", "joined", "left", "joined", "joined", "started"]


def test_a_game_is_played_to_its_result(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:3])
    game = play_on(four, game)
    assert game["status"] == "finished"
    assert game["result"]["winners"]
    path = f"/v1/games/{game['id']}"
    over = four[0].post(f"{path}/moves", {"move": {"type": "play", "card": "C1"}})
    assert (over.status_code, over.json["type"]) == (409, "/problems/game-over")
    assert four[0].get(f"{path}/legal-moves").json["moves"] == []
    record = four[0].get(f"{path}/record").json
    again = host.post("/v1/referee/replays", record).json
    assert again["ok"]
    assert again["result"] == game["result"]
    assert again["position"]["zones"]["won.0"] == game["view"]["zones"]["won.0"]
    last = four[0].get(f"{path}/events?after={game['version'] - 1}").json["items"][0]
    assert last["type"] == "finished"
    assert last["seed"] == record["seed"]


def test_bots_play_their_seats(host: Caller, four: list[Caller]) -> None:
    seats = [{"player": four[0].player}, {"bot": "random"}, {"bot": "random"}]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    assert game["to_act"] == [0], "bots whose turn it was have already moved"
    game = play_on([four[0]], game)
    assert game["status"] == "finished"
    entries = host.get(f"/v1/games/{game['id']}/events?limit=200").json["items"]
    assert [e["seq"] for e in entries] == list(range(1, game["version"] + 1))
    assert {e["seat"]: e.get("bot") for e in entries if e["type"] == "moved"} == {
        0: None,
        1: "random",
        2: "random",
    }
    alone = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": [{"bot": "random"}] * 4}).json
    assert alone["status"] == "finished"


def test_a_view_has_etags_and_older_versions(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:3])
    path = f"/v1/games/{game['id']}"
    seen = {}
    for _ in range(12):
        shown = four[1].get(path)
        assert shown.headers["ETag"].startswith(f'"{shown.json["version"]}-')
        assert four[1].get(path, headers={"If-None-Match": shown.headers["ETag"]}).status_code == 304
        assert four[1].get(path, headers={"If-None-Match": '"0"'}).status_code == 200
        seen[shown.json["version"]] = shown.json
        game = play_on(four, game, 1)
    for version, before in seen.items():
        assert four[1].get(f"{path}?version={version}").json == before
    opened = four[1].get(f"{path}?version=1").json
    assert (opened["status"], opened["view"], opened["viewer"]) == ("open", None, {"seats": []})
    assert four[1].get(f"{path}?version={game['version'] + 1}").status_code == 404


def test_an_illegal_move_names_its_rule_and_writes_nothing(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:3])
    path = f"/v1/games/{game['id']}"
    mover, other = game["to_act"][0], (game["to_act"][0] + 1) % 3
    move = first_move(four[mover], game)
    wrong_turn = four[other].post(f"{path}/moves", {"move": first_move(four[mover], game)})
    assert wrong_turn.status_code == 422
    assert wrong_turn.json["type"] == "/problems/illegal-move"
    assert wrong_turn.json["verdict"]["rule"] == "common.turn"
    assert wrong_turn.json["verdict"]["link"] == "/docs/rules/cats_and_dogs#common.turn"
    unknown = four[mover].post(f"{path}/moves", {"move": {"type": "fly"}})
    assert unknown.json["verdict"]["rule"] == "common.unknown_move"
    dry = four[mover].post(f"{path}/moves/dry-run", {"move": {"type": "play", "card": "XX"}})
    assert (dry.status_code, dry.json["verdict"]["rule"]) == (200, "common.not_held")
    dry = four[mover].post(f"{path}/moves/dry-run", {"move": move})
    assert (dry.status_code, dry.json) == (200, {"verdict": {"legal": True}, "version": game["version"]})
    stale = four[mover].post(f"{path}/moves", {"move": move}, headers={"If-Match": '"1"'})
    assert (stale.status_code, stale.json["version"]) == (412, game["version"])
    assert four[mover].post(f"{path}/moves", {"move": 5}).status_code == 400
    assert host.get(path).json["version"] == game["version"]
    assert len(host.get(f"{path}/events").json["items"]) == game["version"]


def test_an_app_acts_for_its_players_and_sees_as_a_spectator(
    host: Caller, auditor: Caller, four: list[Caller]
) -> None:
    game = new_game(host, four[:3])
    path, seat = f"/v1/games/{game['id']}", game["to_act"][0]
    assert game["view"]["zones"][f"hand.{seat}"] == {"count": 5}
    unsaid = host.get(f"{path}/legal-moves")
    assert (unsaid.status_code, [*unsaid.json["errors"]]) == (400, ["seat"]), "it has to name the seat"
    move = host.get(f"{path}/legal-moves?seat={seat}").json["moves"][0]
    assert auditor.get(f"{path}/legal-moves?seat={seat}").status_code == 403
    done = host.post(f"{path}/moves", {"move": move, "seat": seat})
    assert done.status_code == 201
    assert done.json["entry"]["player"]["id"] == four[seat].player
    assert auditor.get(path).json["view"]["zones"]["out"]
    assert len(auditor.get(f"{path}/record").json["entries"][4]["private"]) == 3
    assert auditor.get(f"{path}/record").json["seed"] is None


def test_a_player_with_two_seats_sees_both_and_names_one_to_move(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, [four[0], four[0], four[1]])
    path = f"/v1/games/{game['id']}"
    shown = four[0].get(path).json
    assert shown["viewer"] == {"seats": [0, 1]}
    assert [type(shown["view"]["zones"][f"hand.{seat}"]) for seat in range(3)] == [list, list, dict]
    assert four[0].get(f"{path}/legal-moves").status_code == 400
    assert four[0].get(f"{path}/legal-moves?seat=1").status_code == 200
    assert four[0].get(f"{path}/legal-moves?seat=2").status_code == 403


def test_resigning_ends_the_game(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:3])
    path = f"/v1/games/{game['id']}"
    said = four[2].post(f"{path}/messages", {"text": "I am done"})
    assert said.json["entry"]["private"]["all"]["text"] == "I am done"
    assert four[3].post(f"{path}/messages", {"text": "?"}).status_code == 404
    over = four[2].post(f"{path}/resignation")
    assert over.json["entry"]["type"] == "resigned"
    assert over.json["game"]["result"] == {"winners": [0, 1], "losers": [2], "reason": "resigned"}
    assert over.json["game"]["status"] == "finished"
    record = host.get(f"{path}/record").json
    assert record["ended"] == {"type": "resigned", "seat": 2}
    assert four[1].post(f"{path}/resignation").status_code == 409
    assert four[1].get(f"{path}?version={game['version'] + 2}").json["view"]["result"]


def test_an_app_cancels_its_game(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:3])
    path = f"/v1/games/{game['id']}"
    assert four[0].post(f"{path}/cancellation").status_code == 403
    off = host("POST", f"{path}/cancellation")
    assert off.json["game"]["status"] == "cancelled"
    assert off.json["game"]["to_act"] == []
    assert four[0].get("/v1/me/turns").json["items"] == []
    assert host("POST", f"{path}/cancellation").status_code == 409
    assert four[0].post(f"{path}/moves", {"move": {"type": "play", "card": "C1"}}).status_code == 409


def test_games_are_found(
    host: Caller, new_key: Callable[..., Caller], four: list[Caller], anyone: Caller, clock: Clock
) -> None:
    first = new_game(host, four[:3])
    clock.move(hours=1)
    second = new_game(host, four[1:], visibility="public")
    clock.move(hours=1)
    third = host.post("/v1/games", {"ruleset": "pies", "seats": [{"open": True}] * 4}).json
    ids = [game["id"] for game in (third, second, first)]

    def found(caller: Caller, query: str = "") -> list[str]:
        answer = caller.get(f"/v1/games{query}")
        assert answer.status_code == 200, answer.text
        return [game["id"] for game in answer.json["items"]]

    assert found(host) == ids
    assert found(host, "?status=running") == ids[1:]
    assert found(host, "?ruleset=pies") == ids[:1]
    assert found(host, f"?player={four[0].player}") == ids[2:]
    waiting = four[first["to_act"][0]]
    assert first["id"] in found(host, f"?to_act={waiting.player}")
    assert found(host, "?visibility=public") == [second["id"]]
    assert found(host, f"?created_after={second['created_at']}") == ids[:2]
    assert found(host, f"?created_before={second['created_at']}") == ids[2:]
    assert found(four[0]) == [first["id"]]
    assert found(four[0], "?visibility=public") == [second["id"]]
    assert found(anyone) == [second["id"]]
    assert anyone.get("/v1/games?visibility=private").status_code == 403
    assert found(new_key("stranger", "read", "write")) == []
    pages, cursor = [], ""
    while cursor is not None:
        page = host.get(f"/v1/games?limit=1{cursor and f'&cursor={cursor}'}").json
        pages += [game["id"] for game in page["items"]]
        cursor = page["next"]
    assert pages == ids


def test_the_inbox_lists_turns_most_urgent_first(host: Caller, four: list[Caller], clock: Clock) -> None:
    slow = new_game(host, [four[0]], pace={"per_move": "PT72H"})
    never = new_game(host, [four[0]])
    clock.move(minutes=1)
    fast = new_game(host, [four[0]], pace={"per_move": "PT1H", "on_timeout": "random_move"})
    assert fast["seats"][0]["deadline"] == "2026-03-01T13:01:00.000000Z"
    items = four[0].get("/v1/me/turns").json["items"]
    assert [item["game"] for item in items] == [fast["id"], slow["id"], never["id"]]
    assert items[0]["deadline"] == fast["seats"][0]["deadline"]
    seen, cursor = [], ""
    while cursor is not None:
        page = four[0].get(f"/v1/me/turns?limit=1{cursor and f'&cursor={cursor}'}").json
        seen += page["items"]
        cursor = page["next"]
    assert seen == items
    assert host.get("/v1/me/turns").status_code == 403


def test_a_move_gives_a_receipt_that_fits_the_chain(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:3])
    path, mover = f"/v1/games/{game['id']}", four[game["to_act"][0]]
    done = mover.post(f"{path}/moves", {"move": first_move(mover, game)}).json
    assert host.get(f"{path}/events?after={game['version']}").json["items"] == [
        {name: value for name, value in done["entry"].items() if name != "private"}
    ]
    assert json.dumps(done["game"]["view"]) == json.dumps(mover.get(path).json["view"])


def test_an_etag_belongs_to_one_viewer(
    host: Caller, auditor: Caller, anyone: Caller, four: list[Caller]
) -> None:
    game = new_game(host, four[:3], visibility="public")
    path = f"/v1/games/{game['id']}"
    viewers = [host, auditor, anyone, *four]
    tags = [viewer.get(path).headers["ETag"] for viewer in viewers]
    assert len(set(tags)) == len(viewers)
    for viewer in viewers:
        for tag, whose in zip(tags, viewers, strict=True):
            for form in (tag, f"W/{tag}", f'"0", {tag}'):
                again = viewer.get(path, headers={"If-None-Match": form})
                assert again.status_code == (304 if whose is viewer else 200), form
                assert again.headers["ETag"] == tags[viewers.index(viewer)]
                assert "Authorization" in again.headers["Vary"]
        assert viewer.get(path, headers={"If-None-Match": f'"{game["version"]}"'}).status_code == 200
    moved = four[game["to_act"][0]].post(f"{path}/moves", {"move": first_move(four[game["to_act"][0]], game)})
    mine = four[game["to_act"][0]].get(path, headers={"If-None-Match": moved.headers["ETag"]})
    assert mine.status_code == 304, "the ETag of an answer is that of the game that it shows"


def test_if_match_takes_a_version_in_every_form(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:3])
    path = f"/v1/games/{game['id']}"
    for form in ("{tag}", "W/{tag}", '"{version}"', 'W/"{version}"', "{version}", '"1", W/{tag}', "*"):
        mover = four[game["to_act"][0]]
        tag, move = mover.get(path).headers["ETag"], first_move(mover, game)
        stale = form.format(tag='"1-0123456789ab"', version=game["version"] - 1)
        if form not in ("*", '"1", W/{tag}'):
            refused = mover.post(f"{path}/moves", {"move": move}, headers={"If-Match": stale})
            assert (refused.status_code, refused.json["version"]) == (412, game["version"]), stale
        current = form.format(tag=tag, version=game["version"])
        done = mover.post(f"{path}/moves", {"move": move}, headers={"If-Match": current})
        assert done.status_code == 201, (current, done.text)
        game = done.json["game"]
